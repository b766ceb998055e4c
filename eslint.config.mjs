// Lint rules: type-checked for TypeScript, with limits of size outside of the tests. server/ must not use the console
// (outside of the CLI) or import vscode; test/layers.test.ts tests all other borders between layers.
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores([
    'bench/holes/files',
    'bench/holes/languages',
    'bench/holes/projects',
    'bench/typing/programs',
    'dist',
    'media/examples',
    'out',
    'coverage',
    'test/fixtures',
    '.vscode-test',
    '.vscode-web',
  ]),
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Under verbatimModuleSyntax `import { type A }` still loads the module; `import type { A }` does not.
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['{server,src,bench}/**/*.ts', 'scripts/**/*.mjs'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4],
      // Functions are hoisted, so a file can begin with its entry point.
      '@typescript-eslint/no-use-before-define': [
        'error',
        { functions: false, variables: true, classes: true },
      ],
    },
  },
  {
    files: ['server/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [{ name: 'vscode', message: 'The server runs without an editor; only src/ knows VS Code.' }],
        },
      ],
    },
  },
  {
    files: ['server/**/*.ts'],
    ignores: ['server/cli/**'],
    // The stdout of the language server is its connection.
    rules: { 'no-console': 'error' },
  },
  {
    files: ['media/panel/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: {
        acquireVsCodeApi: 'readonly',
        document: 'readonly',
        HTMLButtonElement: 'readonly',
        window: 'readonly',
      },
    },
  },
  {
    files: ['test/editor/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: {
        document: 'readonly',
        performance: 'readonly',
        requestAnimationFrame: 'readonly',
        window: 'readonly',
      },
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        Buffer: 'readonly',
        clearTimeout: 'readonly',
        console: 'readonly',
        process: 'readonly',
        setTimeout: 'readonly',
        fetch: 'readonly',
        URL: 'readonly',
      },
    },
  },
);
