// Whether tests run at full size: npm run test:long. Otherwise those that are long by nature take a fair sample.
export const fullSize: boolean = process.env['FLASHLINE_TEST'] === 'long';
