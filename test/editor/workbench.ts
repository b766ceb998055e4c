// Finds the parts of a VS Code window that the tests look at.
import type { FrameLocator, Locator, Page } from 'playwright-core';

import { until } from './waiting';

export class Workbench {
  constructor(readonly page: Page) {}

  get editor(): Locator {
    return this.page.locator('.part.editor .monaco-editor[data-uri]').first();
  }

  get ghost(): Locator {
    return this.page.locator('.monaco-editor [class*=ghost-text]');
  }

  get status(): Locator {
    return this.page.locator('.statusbar-item[id="flashline.flashline.flashline.status"]');
  }

  get notifications(): Locator {
    return this.page.locator('.notification-toast');
  }

  /** Rows of the open picker or palette. */
  get pickRows(): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row');
  }

  /** Returns a button of a modal question. */
  dialogButton(name: string): Locator {
    return this.page.locator('.monaco-dialog-box .monaco-button', { hasText: name });
  }

  /** Document inside the visible webview. */
  get webview(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  }

  /**
   * Returns the visible ghost text: on the cursor's line, also beside the IntelliSense list, and on the lines below.
   */
  async ghostText(): Promise<string> {
    const pieces = await this.page.locator('.view-lines [class*=ghost-text]').allTextContents();
    const below = await this.page.locator('.suggest-preview-text .view-line').allTextContents();
    return [pieces.join(''), ...below].join('\n').replaceAll('\u00a0', ' ');
  }

  /** Returns texts that decorations add in the active editor, in the order of the lines. */
  async addedTexts(): Promise<string[]> {
    return await this.page.locator('.view-lines .view-line span').evaluateAll((spans) => {
      // This project has the types of Node.js, not those of browsers.
      interface Style {
        readonly content: string;
      }
      const { getComputedStyle } = globalThis as unknown as {
        getComputedStyle: (element: unknown, part: string) => Style;
      };
      const contents = spans.flatMap((span) => {
        return ['::before', '::after'].map((part) => getComputedStyle(span, part).content);
      });
      const texts = contents.filter((content) => content.startsWith('"'));
      return texts.map((content) => content.slice(1, -1).replaceAll('\u00a0', ' '));
    });
  }

  /** Waits for ghost text, which can be drawn before it has its text. */
  async suggestion(): Promise<string> {
    return await until('ghost text shows', async () => {
      const text = await this.ghostText();
      return text.trim() && text;
    });
  }

  /** Selected entry of the open IntelliSense list. */
  get entry(): Locator {
    return this.page.locator('.suggest-widget.visible .monaco-list-row.focused');
  }

  /** Types with the keyboard at a person's pace. */
  async type(text: string, delay = 20): Promise<void> {
    await this.page.keyboard.type(text, { delay });
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
  }

  /** Runs a command from the palette. */
  async palette(title: string): Promise<void> {
    await this.press('F1');
    // The first time in a window VS Code asks the extension host before it opens the palette.
    await this.page.locator('.quick-input-box input:focus').waitFor();
    await this.page.keyboard.type(title);
    // Waits for the right row: the list follows the typed text a moment later, and Enter runs the focused row.
    await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: title }).waitFor();
    await this.press('Enter');
  }
}
