/** How a page looks on paper: the text, where it came from, and where its links lead. */

/** Comes after the theme, since paper is white in every one. */
export const PRINT_CSS = `
@page{margin:2cm}
@media print{
:root{color-scheme:light;--paper:#fff;--ink:#000;--muted:#444;--accent:#000;--line:#bbb;--soft:#fff}
html{font-size:11pt}
body{line-height:1.5}
.frame{max-width:none;padding:0;min-height:0;display:block}
.skip,.search,.pager,.beside,.topics,.tags,footer.site{display:none}
header.site{margin-bottom:1.5rem;padding-bottom:.6rem}
h1,h2,h3,h4{break-after:avoid}
p,li,blockquote{orphans:3;widows:3}
pre,table,figure,img,.posts>li{break-inside:avoid}
.text pre{white-space:pre-wrap;overflow:visible}
.text .table{overflow:visible}
.text a[href^="http"]::after{content:" (" attr(href) ")";font-size:.8em;word-break:break-all}
}
`;
