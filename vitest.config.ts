import { defineConfig } from 'vitest/config';

const MATRIX = 'test/e2e/matrix.test.ts';

/** Ends that only a test which hangs reaches: a machine may be slow, or stand still for a while. */
const expect = { poll: { timeout: 30_000 } };
const limits = { testTimeout: 60_000, hookTimeout: 60_000, expect };
const programs = { testTimeout: 180_000, hookTimeout: 180_000, expect };

export default defineConfig({
  test: {
    projects: [
      {
        // Modules keep no state, so files can share a process, which halves the time.
        test: { name: 'unit', include: ['src/**/*.test.ts', 'test/*.test.ts'], isolate: false, ...limits },
      },
      {
        // Every pair of eras and carriers, 144 cells: `npm run test:matrix`.
        test: {
          name: 'matrix',
          include: [MATRIX],
          globalSetup: ['test/support/build-once.ts'],
          ...programs,
        },
      },
      {
        // Floods, fuzz, stops and logs of the built program: `npm run test:edge`, at full length with FUZZ_FULL=1.
        test: {
          name: 'edge',
          include: ['test/fuzz/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          ...programs,
        },
      },
      // Case files kept outside the project: `npm run test:cases`, where they are present.
      { test: { name: 'cases', include: ['test/cases/**/*.test.ts'], ...limits } },
      {
        // Real servers and clients from npm, fetched when asked for: `npm run test:interop`.
        test: {
          name: 'interop',
          include: ['test/interop/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          ...programs,
        },
      },
      {
        // Many writers, killed programs and full disks: `npm run test:endure`, at full length with ENDURE_FULL=1.
        test: {
          name: 'endure',
          include: ['test/endure/**/*.test.ts', 'test/sharing/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          ...programs,
          // They measure, so they do not disturb one another.
          fileParallelism: false,
        },
      },
      {
        // Servers and networks in every kind of trouble; at full length by `npm run test:faults`.
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          ...programs,
          fileParallelism: false,
        },
      },
      {
        // Pages as a browser shows them: `npm run test:browser`, where there is one.
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          ...programs,
        },
      },
      {
        // These run the built program, so it is built once before them.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [MATRIX],
          globalSetup: ['test/support/build-once.ts'],
          ...programs,
        },
      },
    ],
  },
});
