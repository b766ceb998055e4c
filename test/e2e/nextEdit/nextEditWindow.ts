// A window with next edits turned on and a scripted language server. The editor has its defaults, but
// suggests words of the current document only.
import { ScriptedServer } from '../../editor/scriptedServer';
import { Session } from '../../editor/session';
import { sharedVscode } from '../sharedVscode';

export class NextEditWindow {
  private constructor(
    readonly server: ScriptedServer,
    readonly session: Session,
  ) {}

  static async open(): Promise<NextEditWindow> {
    const server = await ScriptedServer.start();
    const session = await Session.open({
      server: await sharedVscode(),
      name: 'nextEdit',
      extension: server.extension,
      files: {},
      settings: {
        'flashline.nextEdit': 'inline',
        'flashline.nextEditModel': server.address,
        'flashline.shareServer': false,
        // Words of files that other tests have closed would open the list now and then.
        'editor.wordBasedSuggestions': 'currentDocument',
        'git.openRepositoryInParentFolders': 'never',
      },
      waitFor: 'server',
    });
    return new NextEditWindow(server, session);
  }

  /** Shows a new file, with the cursor at `offset`. */
  async show(file: string, text: string, offset: number): Promise<void> {
    const { profile, probe, workbench } = this.session;
    const path = profile.file(file);
    profile.write(path, text);
    await probe.show(path, offset);
    await workbench.editor.waitFor();
  }

  async close(): Promise<void> {
    await this.session.close();
    await this.server.stop();
  }
}
