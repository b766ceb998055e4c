// The language server's process, as VS Code starts it.
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { languageServer } from './languageServer';

// Over the channel between Node processes nothing else says that the client has gone while a decode runs.
process.once('disconnect', () => process.exit(1));

languageServer(createConnection(ProposedFeatures.all));
