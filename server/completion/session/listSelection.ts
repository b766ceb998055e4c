// Detects that the user steps through the IntelliSense list: the selected entry changes while the document does not.
import type { DocumentSnapshot, SelectedItem } from '../prompt/context';

export class ListSelection {
  #last: { readonly document: DocumentSnapshot; readonly item: SelectedItem } | undefined;

  /**
   * Returns the entry selected at this request, with `isChosen` set if another entry was selected at an earlier request
   * for the same version of the document.
   */
  update(document: DocumentSnapshot, selected: SelectedItem | undefined): SelectedItem | undefined {
    const last = this.#last?.document === document ? this.#last.item : undefined;
    const hasMoved = last !== undefined && last.text !== selected?.text;
    const item = selected && { ...selected, isChosen: hasMoved || last?.isChosen === true };
    this.#last = item && { document, item };
    return item;
  }
}
