// The first step of the walkthrough: a small untitled file with the cursor where a suggestion is expected, in the
// language of an open file if there is an example in it.
import * as vscode from 'vscode';

const CURSOR = '║';

const EXAMPLES: Readonly<Record<string, string>> = {
  javascript: `class Stack {
  constructor() {
    this.items = [];
  }

  push(item) {
    this.items.push(item);
  }

  pop() {
    ${CURSOR}
  }
}
`,
  python: `class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        ${CURSOR}
`,
  go: `package stack

type Stack struct {
	items []string
}

func (s *Stack) Push(item string) {
	s.items = append(s.items, item)
}

func (s *Stack) Len() int {
	${CURSOR}
}
`,
  rust: `pub struct Stack {
    items: Vec<String>,
}

impl Stack {
    pub fn push(&mut self, item: String) {
        self.items.push(item);
    }

    pub fn pop(&mut self) -> Option<String> {
        ${CURSOR}
    }
}
`,
  java: `import java.util.ArrayList;

class Stack {
    private final ArrayList<String> items = new ArrayList<>();

    void push(String item) {
        items.add(item);
    }

    int size() {
        ${CURSOR}
    }
}
`,
};

export async function tryExample(): Promise<void> {
  const open = vscode.window.visibleTextEditors.map((editor) => editor.document.languageId);
  const language = open.find((id) => Object.hasOwn(EXAMPLES, id)) ?? 'javascript';
  const [before = '', after = ''] = EXAMPLES[language]?.split(CURSOR) ?? [];
  const document = await vscode.workspace.openTextDocument({ language, content: before + after });
  const editor = await vscode.window.showTextDocument(document);
  const cursor = document.positionAt(before.length);
  editor.selection = new vscode.Selection(cursor, cursor);
  await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
}
