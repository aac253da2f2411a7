/** Dates of publication: a year, a month or a day, as ISO 8601 writes them. */

/** Year, then month and day as far as they are known. */
export type DateParts = readonly [number] | readonly [number, number] | readonly [number, number, number];

/** Reads YYYY, YYYY-MM or YYYY-MM-DD; undefined when it is none, or no day of the calendar. */
export function parseDate(text: string): DateParts | undefined {
  const match = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text.trim());
  if (!match) return undefined;
  const year = Number(match[1]);
  if (year === 0) return undefined;
  if (match[2] === undefined) return [year];
  const month = Number(match[2]);
  if (month < 1 || month > 12) return undefined;
  if (match[3] === undefined) return [year, month];
  const day = Number(match[3]);
  return day >= 1 && day <= daysIn(year, month) ? [year, month, day] : undefined;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
