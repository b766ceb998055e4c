// Tests when an entry of the IntelliSense list counts as chosen: if the user has moved to it.
import assert from 'node:assert/strict';
import { ListSelection } from '../../../server/completion/session/listSelection';

const version = () => ({ uri: 'file:///a.ts', fileName: 'a.ts', languageId: 'typescript', text: 'a.' });
const entry = (text: string) => ({ start: 2, end: 2, text });

describe('the selected entry of the IntelliSense list', () => {
  it('counts as chosen once another entry was selected in the same version of the document', () => {
    const [selection, document] = [new ListSelection(), version()];
    const isChosen = (text: string, at = document) => selection.update(at, entry(text))?.isChosen;
    assert.equal(isChosen('first'), false);
    assert.equal(isChosen('first'), false, 'a repeated request');
    assert.equal(isChosen('second'), true);
    assert.equal(isChosen('second'), true, 'a repeated request');
    assert.equal(isChosen('first'), true, 'the user goes back');
    assert.equal(isChosen('first', version()), false, 'the user has typed');
    assert.deepEqual(selection.update(document, entry('third')), { ...entry('third'), isChosen: false });
  });

  it('is not chosen when the list opens again', () => {
    const [selection, document] = [new ListSelection(), version()];
    selection.update(document, entry('first'));
    assert.equal(selection.update(document, undefined), undefined);
    assert.equal(selection.update(document, entry('second'))?.isChosen, false);
  });
});
