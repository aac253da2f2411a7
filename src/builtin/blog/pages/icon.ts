/** The picture of the blog in a tab: a sheet with three lines. */

/** SVG without a style of its own, so that no policy stands against it. */
export const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="5" y="2" width="22" height="28" rx="4" fill="#0a5a83"/><path d="M10 10h12M10 16h12M10 22h7" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>
`;
