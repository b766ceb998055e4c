// The language server's process, as VS Code starts it.
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { languageServer } from './languageServer';

languageServer(createConnection(ProposedFeatures.all));
