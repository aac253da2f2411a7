// Compares verdicts with the failures that are expected, and prints both.
import { readFile } from 'node:fs/promises';

const EXPECTED = new URL('../../test/conformance/expected-failures.json', import.meta.url);

/** What is expected to fail, grouped by reason: `[{ why, runs, on, scenarios }]`. */
export async function readExpected() {
  return JSON.parse(await readFile(EXPECTED, 'utf8'));
}

/**
 * What is wrong with a set of results, as sentences: failures that are not expected, and expectations that
 * are stale because the scenario passes or, where all were run, is not there. A result is `{ run, column, verdicts }`.
 */
export function findFaults(results, expected, { all = true } = {}) {
  return results.flatMap((result) => {
    const { run, column, verdicts } = result;
    const awaited = toAwaited(result, expected);
    const faults = [];
    for (const { scenario, failed } of verdicts) {
      const isExpected = awaited.delete(scenario);
      const where = `${run} ${scenario} on ${column}`;
      if (failed.length > 0 && !isExpected) faults.push(`fails: ${where}\n    ${failed.join('\n    ')}`);
      if (failed.length === 0 && isExpected) faults.push(`stale: ${where} is expected to fail but passes`);
    }
    for (const scenario of all ? awaited : [])
      faults.push(`stale: ${run} ${scenario} on ${column} never ran`);
    return faults;
  });
}

/** The verdicts of a result that failed and were not expected to. */
export function findUnexpected(result, expected) {
  const awaited = toAwaited(result, expected);
  return result.verdicts.filter(({ scenario, failed }) => failed.length > 0 && !awaited.has(scenario));
}

function toAwaited({ run, column }, expected) {
  const groups = expected.filter(({ runs, on }) => runs.includes(run) && on.includes(column));
  return new Set(groups.flatMap(({ scenarios }) => scenarios));
}

/** One line per scenario, one column per target: checks passed, then failed and warned where there are any. */
export function toTable(results) {
  const columns = [...new Set(results.map(({ column }) => column))];
  const rows = new Map();
  for (const { run, column, verdicts } of results) {
    for (const verdict of verdicts) {
      const key = `${run}  ${verdict.scenario}${verdict.scored ? '' : ' (unscored)'}`;
      rows.set(key, { ...rows.get(key), [column]: toCell(verdict) });
    }
  }
  const width = Math.max(0, ...[...rows.keys()].map((key) => key.length));
  const line = (head, cells) =>
    `${head.padEnd(width)}  ${cells.map((cell) => cell.padEnd(16)).join('')}`.trimEnd();
  return [
    line('', columns),
    ...[...rows].map(([key, cells]) =>
      line(
        key,
        columns.map((column) => cells[column] ?? '-'),
      ),
    ),
    line(
      'checks passed / failed',
      columns.map((column) => toSum(results, column)),
    ),
  ].join('\n');
}

function toCell({ passed, failed, warned }) {
  const parts = [`${passed}`];
  if (failed.length > 0) parts.push(`${failed.length} failed`);
  if (warned.length > 0) parts.push(`${warned.length} warned`);
  return parts.join(', ');
}

function toSum(results, column) {
  const all = results.filter((result) => result.column === column).flatMap(({ verdicts }) => verdicts);
  const passed = all.reduce((sum, verdict) => sum + verdict.passed, 0);
  return `${passed} / ${all.reduce((sum, verdict) => sum + verdict.failed.length, 0)}`;
}

/** The warnings, which never fail a run but say what the suite would rather see. */
export function toWarnings(results) {
  return results.flatMap(({ run, column, verdicts }) =>
    verdicts.flatMap(({ scenario, warned }) =>
      warned.map((said) => `${run} ${scenario} on ${column}: ${said}`),
    ),
  );
}
