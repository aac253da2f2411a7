/** Builds the product once before the tests, since end-to-end tests run the real program. */

/** Called by vitest before any test file. */
export async function setup(): Promise<void> {
  const { buildAll } = (await import('../../scripts/build.mjs' as string)) as {
    buildAll(options: { quiet: boolean }): Promise<void>;
  };
  await buildAll({ quiet: true });
}
