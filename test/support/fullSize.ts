// Whether tests run at full size: npm run test:nightly. Otherwise long tests run a sample of their cases.
export const fullSize: boolean = process.env['FLASHLINE_TEST'] === 'nightly';
