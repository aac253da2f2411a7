/** The severities of log messages, least severe first. */

const LEVELS: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** True for a severity the protocol knows. */
export function isLogLevel(value: unknown): value is string {
  return typeof value === 'string' && LEVELS.includes(value);
}

/** True when a message of one severity is wanted by someone who asked for another and above. */
export function isAtLeast(level: unknown, wanted: string): boolean {
  return typeof level === 'string' && LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);
}
