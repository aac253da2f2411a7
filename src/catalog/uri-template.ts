/** Tells whether a URI could have been made from a URI template, in time linear in the URI. */

const MAX_URI_LENGTH = 8_192;

/** True when the template's literal parts stand in the URI, in order, with something in between. */
export function matchesTemplate(template: string, uri: string): boolean {
  if (uri.length > MAX_URI_LENGTH) return false;
  const literals = template.split(/\{[^{}]*\}/);
  const [head = '', ...rest] = literals;
  const tail = rest.pop();
  if (tail === undefined) return template === uri;
  if (!uri.startsWith(head) || !uri.endsWith(tail) || uri.length < head.length + tail.length) return false;
  const end = uri.length - tail.length;
  let position = head.length;
  for (const literal of rest) {
    const found = uri.indexOf(literal, position);
    if (found === -1 || found + literal.length > end) return false;
    position = found + literal.length;
  }
  return true;
}
