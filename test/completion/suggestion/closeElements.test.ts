// Tests the end tags that are added to a text which begins elements and leaves them open.
import { closeElements } from '../../../server/completion/suggestion/closeElements';
import { assertAccepted } from './assertAccepted';
import { describeStep } from './describeStep';

describeStep(closeElements, [
  ['keeps an element whose end tag follows', '<div>\n  ⟦<p>\n    a⟧\n  </p>\n</div>\n', undefined, 'html'],
  ['keeps an element without content', '<ul>\n  ⟦a\n  <li>⟧\n</ul>\n', undefined, 'html'],
  ['keeps a text of one line', '<ul>\n  ⟦<li>a⟧\n</ul>\n', undefined, 'html'],
  ['keeps items that the next one ends', '<ul>\n  ⟦<li>a\n  <li>b⟧\n</ul>\n', undefined, 'html'],
  ['keeps an element without an end tag', '<p>\n  ⟦a<br>\n  b⟧\n</p>\n', undefined, 'html'],
  ['keeps code in a script', '<script>\n  ⟦if (a < b) {\n  c("<d>");\n}⟧\n</script>\n', undefined, 'html'],
  ['keeps types', 'interface A {\n  ⟦<T>(a: T): T;\n  b: C<string>;⟧\n}\n', undefined, 'typescriptreact'],
  ['keeps comparisons', '⟦if (a <b && c> d)\n  e();⟧\n', undefined, 'typescriptreact'],
  ['keeps code that has no elements', '⟦a = <T>b;\nc();⟧\n'],
]);

describe('elements that a text leaves open', () => {
  it('get their end tags, like the brackets around and within them', () => {
    for (const [document, accepted, languageId] of [
      [
        '<body>\n  ⟦<div>\n    <p>\n      a\n    </p>⟧\n</body>\n',
        '<body>\n  <div>\n    <p>\n      a\n    </p>\n  </div>\n</body>\n',
        'html',
      ],
      [
        '<template>\n  <ul>\n    ⟦<li v-for="a in b">\n      {{ a }}⟧\n  </ul>\n</template>\n',
        '<template>\n  <ul>\n    <li v-for="a in b">\n      {{ a }}\n    </li>\n  </ul>\n</template>\n',
        'vue',
      ],
      [
        '<body>\n  ⟦<div>\n    <p>a</p>\n    <img\n      alt="b"⟧\n</body>\n',
        '<body>\n  <div>\n    <p>a</p>\n  </div>\n</body>\n',
        'html',
      ],
      ['  ⟦return (\n    <p>a\n      b⟧\n', '  return (\n    <p>a\n      b</p>\n  )\n', 'typescriptreact'],
      [
        '  ⟦return (\n    <>\n      {a.map((b) => (\n        <C onClick={() => d(b)}>\n          {b}⟧\n',
        '  return (\n    <>\n      {a.map((b) => (\n        <C onClick={() => d(b)}>\n          {b}\n' +
          '        </C>\n      ))}\n    </>\n  )\n',
        'javascriptreact',
      ],
    ] as const)
      assertAccepted(document, accepted, languageId);
  });
});
