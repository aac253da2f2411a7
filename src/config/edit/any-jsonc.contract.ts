/** Documents for the tests of whoever edits JSON with comments. */
import fc from 'fast-check';

/** A document with white space, comments and commas wherever they may be. */
export function anyJsonc(): fc.Arbitrary<string> {
  const space = fc.constantFrom(
    '',
    ' ',
    '\n',
    '\n  ',
    '\r\n\t',
    ' // note\n',
    '/* a, "b" */',
    '\n/* x\n y */ ',
  );
  const key = fc.constantFrom('a', 'b c', 'url', '__proto__', 'é"\\', 'mcp');
  const scalar = fc.constantFrom(
    '1',
    '-2.50e3',
    'true',
    'null',
    '"x // no"',
    '"/* no */"',
    '"\\u00e9"',
    '""',
  );
  const { value } = fc.letrec<{ value: string; members: string; items: string }>((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, scalar, tie('members'), tie('items')),
    members: fc
      .tuple(
        fc.uniqueArray(fc.tuple(key, tie('value'), space, space), {
          maxLength: 3,
          selector: ([name]) => name,
        }),
        space,
        fc.boolean(),
      )
      .map(([pairs, end, comma]) =>
        toText(
          '{',
          pairs.map(([name, text, a, b]) => `${a}${JSON.stringify(name)}:${b}${text}${a}`),
          end,
          comma,
        ),
      ),
    items: fc
      .tuple(fc.array(fc.tuple(tie('value'), space), { maxLength: 3 }), space, fc.boolean())
      .map(([items, end, comma]) =>
        toText(
          '[',
          items.map(([text, a]) => `${a}${text}`),
          end,
          comma,
        ),
      ),
  }));
  const servers = fc
    .tuple(
      fc.uniqueArray(fc.tuple(key, space), { maxLength: 3, selector: ([name]) => name }),
      space,
      fc.boolean(),
    )
    .map(([pairs, end, comma]) =>
      toText(
        '{',
        pairs.map(([name, a]) => `${a}${JSON.stringify(name)}: {"command": "x"}${a}`),
        end,
        comma,
      ),
    );
  return fc
    .tuple(value, fc.option(servers), value, space, fc.constantFrom('', '\uFEFF'), fc.boolean())
    .map(([first, shelf, last, gap, bom, comma]) => {
      const pairs = [
        `${gap}"first":${first}`,
        ...(shelf === null ? [] : [`${gap}"mcpServers":${gap}${shelf}`]),
        `${gap}"last": ${last}`,
      ];
      return bom + gap + toText('{', pairs, gap, comma) + gap;
    });
}

function toText(open: '{' | '[', parts: readonly string[], end: string, comma: boolean): string {
  return `${open}${parts.join(',')}${comma && parts.length > 0 ? ',' : ''}${end}${open === '{' ? '}' : ']'}`;
}
