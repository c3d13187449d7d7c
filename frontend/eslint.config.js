// Lint rules of the front end: type-checked TypeScript and the rules of hooks.
import js from '@eslint/js'
import hooks from 'eslint-plugin-react-hooks'
import globals from 'globals'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['node_modules/**', 'src/api/schema.d.ts', 'public/**'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: { allowDefaultProject: ['eslint.config.js'] }, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { 'react-hooks': hooks },
    rules: {
      ...hooks.configs.recommended.rules,
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/only-throw-error': 'off', // the router's notFound() and redirect() are thrown objects
      eqeqeq: 'error',
    },
  },
  { files: ['eslint.config.js'], extends: [tseslint.configs.disableTypeChecked] },
  // Tables of texts: tsc checks their types; the rules that ask for types compare thousands of literals pair by pair.
  {
    files: ['src/i18n/catalogue.ts', 'src/i18n/messages/**', 'src/explorer/messages.ts', 'src/explorer/texts/**'],
    extends: [tseslint.configs.disableTypeChecked],
  },
)
