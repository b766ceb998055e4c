// Opens a VS Code window in a headless Chromium, identical to the pixel each time, with separate browser storage.
import type { BrowserContext, Page } from 'playwright-core';
import type { VscodeServer } from './vscodeServer';

/** Time limit of each wait, as machines can be slow. */
const LIMIT_MS = 180_000;

export interface WindowOptions {
  /** Folder to open. */
  readonly folder: string;
  /** Folders of extensions under development. */
  readonly extensions?: readonly string[];
  /** Module whose run() VS Code calls in the extension host. */
  readonly tests?: string;
  /** Runs before VS Code loads. */
  readonly prepare?: (page: Page) => Promise<void>;
}

export class BrowserWindow {
  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
  ) {}

  static async open(server: VscodeServer, options: WindowOptions): Promise<BrowserWindow> {
    const browser = await server.browser();
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      colorScheme: 'dark',
      locale: 'en-US',
    });
    context.setDefaultTimeout(LIMIT_MS);
    context.setDefaultNavigationTimeout(LIMIT_MS);
    try {
      const page = await context.newPage();
      await options.prepare?.(page);
      await developExtensions(page, server, options);
      await page.goto(server.address(options.folder, [['skipWelcome', 'true']]));
      return new BrowserWindow(page, context);
    } catch (error) {
      await context.close();
      throw error;
    }
  }

  /** Closes the window as a user does, so that it can disconnect properly. */
  async leave(): Promise<void> {
    await this.page.goto('about:blank');
    await this.close();
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

/**
 * Adds extensions under development to the configuration, which VS Code reads from an attribute of the page. Newer
 * versions read such extensions only there. A page with changed text would not be allowed to open its WebSocket.
 */
async function developExtensions(page: Page, server: VscodeServer, options: WindowOptions): Promise<void> {
  const { extensions = [], tests } = options;
  if (extensions.length === 0) return;
  const uri = (path: string) => ({ scheme: 'vscode-remote', authority: server.authority, path });
  await page.addInitScript(
    (development) => {
      // This project has the types of Node.js, not those of browsers.
      type GetAttribute = (this: { id: string }, name: string) => string | null;
      const { Element } = globalThis as unknown as {
        Element: { prototype: { getAttribute: GetAttribute } };
      };
      const { getAttribute } = Element.prototype;
      Element.prototype.getAttribute = function (name) {
        const value = getAttribute.call(this, name);
        if (value === null || name !== 'data-settings' || this.id !== 'vscode-workbench-web-configuration')
          return value;
        const settings = JSON.parse(value) as { developmentOptions?: object };
        return JSON.stringify({
          ...settings,
          developmentOptions: { ...settings.developmentOptions, ...development },
        });
      };
    },
    { extensions: extensions.map(uri), ...(tests === undefined ? {} : { extensionTestsPath: uri(tests) }) },
  );
}
