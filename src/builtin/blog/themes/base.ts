/** The style sheet all themes share: one column, a fluid scale, and nothing that moves. */

/** Layout and type; colours and letters are custom properties of the theme. */
export const BASE_CSS = `
*,*::before,*::after{box-sizing:border-box}
:root{--measure:40rem;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
html{font-size:106.25%;-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font-family:var(--text);line-height:1.65;overflow-wrap:break-word;text-rendering:optimizeLegibility;-webkit-font-smoothing:antialiased}
.frame{max-width:calc(var(--measure) + 2.5rem);margin-inline:auto;padding:clamp(1.25rem,4vw,3rem) 1.25rem 2rem;min-height:100vh;display:flex;flex-direction:column}
main{flex:1;outline:0}
a{color:var(--accent);text-decoration-thickness:.06em;text-underline-offset:.18em}
a:hover{text-decoration-thickness:.12em}
:focus-visible{outline:.16rem solid var(--accent);outline-offset:.16rem;border-radius:.15rem}
.skip{position:absolute;inset-inline-start:1rem;top:-4rem;z-index:1;background:var(--ink);color:var(--paper);padding:.5rem 1rem;border-radius:0 0 .3rem .3rem}
.skip:focus{top:0}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}

header.site{display:flex;flex-wrap:wrap;gap:1rem 2rem;justify-content:space-between;align-items:end;padding-bottom:1.4rem;margin-bottom:2.8rem;border-bottom:1px solid var(--line)}
.name{margin:0;font-family:var(--head);font-size:1.35rem;font-weight:700;line-height:1.25;letter-spacing:-.01em}
.name a{color:inherit;text-decoration:none}
.name a:hover{color:var(--accent)}
.tagline{margin:.15rem 0 0;color:var(--muted);line-height:1.4}
.brand{flex:1 1 16rem;min-width:0}
.search{display:flex;align-items:center;border:1px solid var(--line);border-radius:.45rem;background:var(--soft)}
.search:focus-within{border-color:var(--accent);outline:.1rem solid var(--accent)}
.search input{font:inherit;font-size:.9rem;min-width:0;width:8.5rem;border:0;background:none;color:inherit;padding:.45rem .2rem .45rem .8rem;outline:0;appearance:none}
.search input::placeholder{color:var(--muted);opacity:1}
.search button{font:inherit;font-size:.9rem;border:0;background:none;color:var(--muted);padding:0;width:2.6rem;min-height:2.6rem;display:grid;place-items:center;cursor:pointer;border-radius:.45rem}
.search button:hover{color:var(--accent)}

.posts{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:minmax(0,1fr);gap:3rem}
:is(.name,.tagline,.title,.byline,.excerpt,.tags,.beside){overflow-wrap:anywhere}
.title{margin:0;font-family:var(--head);line-height:1.2;letter-spacing:-.015em;text-wrap:balance;font-weight:700}
h1.title{font-size:clamp(1.75rem,1.35rem + 2vw,2.5rem)}
h2.title{font-size:clamp(1.3rem,1.18rem + .6vw,1.55rem)}
h2.title a{color:inherit;text-decoration:none}
h2.title a:hover{color:var(--accent);text-decoration:underline}
.byline{display:flex;flex-wrap:wrap;margin:.45rem 0 0;color:var(--muted);font-size:.88rem;line-height:1.5}
.byline>*{min-width:0}
.byline>*+*::before{content:"\\00b7";margin-inline:.55em}
.excerpt{margin:.7rem 0 0}
.tags{list-style:none;display:flex;flex-wrap:wrap;gap:.45rem;margin:.9rem 0 0;padding:0;font-size:.85rem;line-height:1.4}
.tags li{max-width:100%}
.tags a{display:inline-block;max-width:100%;padding:.2rem .7rem;border-radius:1rem;background:var(--soft);color:var(--muted);text-decoration:none}
.tags a:hover{color:var(--accent);text-decoration:underline}
.count{color:var(--muted);margin-inline:.1rem .5rem}
.topics{margin-top:3.5rem;padding-top:1.6rem;border-top:1px solid var(--line)}
.topics h2{margin:0;font-size:1rem;font-family:var(--head)}
header.list{margin-bottom:2.5rem}
.nothing{color:var(--muted)}
.pager{display:flex;justify-content:space-between;gap:1rem;margin-top:3.5rem;font-size:.95rem;color:var(--muted)}

.post>header{margin-bottom:2.2rem}
.cover{display:block;width:100%;height:auto;max-height:28rem;object-fit:cover;border-radius:.5rem;margin-bottom:2.2rem}
.text>:first-child{margin-top:0}
.text :is(p,ul,ol,dl,pre,figure,blockquote,.table,details){margin:0 0 1.25rem}
.text :is(h2,h3,h4,h5,h6){font-family:var(--head);line-height:1.3;margin:2.4rem 0 .7rem;text-wrap:balance}
.text h2{font-size:1.4rem;letter-spacing:-.01em}
.text h3{font-size:1.15rem}
.text :is(h4,h5,h6){font-size:1rem}
.text :is(ul,ol){padding-inline-start:1.5rem}
.text li+li,.text li>:is(ul,ol){margin-top:.3rem}
.text li::marker{color:var(--muted)}
.text blockquote{padding-inline-start:1.2rem;border-inline-start:.2rem solid var(--accent);color:var(--muted)}
.text blockquote>:last-child{margin-bottom:0}
.text img{display:block;max-width:100%;height:auto;margin-inline:auto;border-radius:.35rem}
.text figcaption,.text caption{color:var(--muted);font-size:.88rem;margin-top:.5rem;text-align:center}
.text :is(code,kbd,samp){font-family:var(--mono);font-size:.875em;background:var(--soft);border-radius:.25rem;padding:.12em .35em}
.text kbd{border:1px solid var(--line)}
.text pre{background:var(--soft);border:1px solid var(--line);border-radius:.45rem;padding:.95rem 1.1rem;overflow-x:auto;line-height:1.5;tab-size:2;direction:ltr;text-align:left;font-family:var(--mono);font-size:.875em}
.text pre code{background:none;padding:0;font-size:inherit}
.text .table{overflow-x:auto}
.text table{border-collapse:collapse;font-size:.93rem;line-height:1.45;min-width:60%}
.text :is(th,td){padding:.5rem .8rem;border-bottom:1px solid var(--line);text-align:start;vertical-align:top;font-variant-numeric:tabular-nums}
.text :is(th,td):first-child{padding-inline-start:0}
.text th{border-bottom-width:2px}
.text [align=right]{text-align:end}
.text [align=center]{text-align:center}
.text hr{border:0;height:1px;background:var(--line);margin:2.5rem auto;width:40%}
.text mark{background:var(--mark);color:inherit;padding:0 .15em}
.text summary{cursor:pointer;font-weight:600}
.text sup,.text sub{line-height:0}
.post>footer{margin-top:2.8rem}
.revised{color:var(--muted);font-size:.88rem;margin:0}
.beside{display:grid;grid-template-columns:1fr 1fr;gap:1rem 2rem;margin-top:2.8rem;padding-top:1.6rem;border-top:1px solid var(--line)}
.beside a{min-width:0;text-decoration:none;line-height:1.4}
.beside a:hover bdi{text-decoration:underline}
.beside span{display:block;color:var(--muted);font-size:.85rem}
.beside .newer{grid-column:2;text-align:end}

footer.site{margin-top:4rem;padding-top:1.2rem;border-top:1px solid var(--line);font-size:.88rem}
footer.site ul{list-style:none;display:flex;flex-wrap:wrap;gap:.4rem 1.4rem;margin:0;padding:0}
footer.site a{color:var(--muted);display:inline-block;padding-block:.3rem}
footer.site a:hover{color:var(--accent)}

@media (max-width:34rem){
header.site{margin-bottom:2.2rem}
search,.search{width:100%}
.search input{flex:1}
.beside{grid-template-columns:1fr}
.beside .newer{grid-column:1;text-align:start}
.text .table,.text pre{margin-inline:-1.25rem}
.text pre{border-radius:0;border-inline:0;padding-inline:1.25rem}
.text .table{padding-inline:1.25rem}
}
@media (prefers-contrast:more){:root{--muted:var(--ink);--line:currentColor}}
@media (forced-colors:active){.tags a,.search{border:1px solid}}
`;
