// Whether tests run at full size: npm run test:nightly. Otherwise those that are long by nature take a fair sample.
export const fullSize: boolean = process.env['FLASHLINE_TEST'] === 'nightly';
