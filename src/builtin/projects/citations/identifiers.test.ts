/** Dates and identifiers, checked for form. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDate } from './dates.ts';
import { parseDoi, parseIsbn, parseWebAddress } from './identifiers.ts';

describe('dates', () => {
  it.each([
    ['2020', [2020]],
    ['2020-05', [2020, 5]],
    ['2020-02-29', [2020, 2, 29]],
    ['0476-09-04', [476, 9, 4]],
  ])('reads %s', (text, parts) => {
    expect(parseDate(text)).toEqual(parts);
  });

  it.each([
    '',
    '20',
    '0000',
    '2020-13',
    '2020-00',
    '2021-02-29',
    '1900-02-29',
    '2020-04-31',
    '2020/05/03',
    'May 2020',
    '2020-5-3',
  ])('refuses %j', (text) => {
    expect(parseDate(text)).toBeUndefined();
  });

  it('accepts every day the calendar has', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(parseDate(date.toISOString().slice(0, 10))).toEqual([
            date.getUTCFullYear(),
            date.getUTCMonth() + 1,
            date.getUTCDate(),
          ]);
        },
      ),
    );
  });
});

describe('DOIs', () => {
  it.each([
    ['10.1000/xyz123', '10.1000/xyz123'],
    ['doi:10.1000/xyz123', '10.1000/xyz123'],
    ['https://doi.org/10.1000/xyz123', '10.1000/xyz123'],
    ['http://dx.doi.org/10.1000/182', '10.1000/182'],
    [
      'https://doi.org/10.1002/(SICI)1097-0258(19980815%2F30)17:15',
      '10.1002/(SICI)1097-0258(19980815/30)17:15',
    ],
    ['10.1000.10/a<b>;c', '10.1000.10/a<b>;c'],
    ['https://doi.org/10.1000/50%', '10.1000/50%'],
  ])('takes the bare form from %s', (text, doi) => {
    expect(parseDoi(text)).toBe(doi);
  });

  it.each(['', '10.1000', '10.1/x', '11.1000/x', '10.1000/', '10.1000/a b', 'https://example.org/10.1000/x'])(
    'refuses %j',
    (text) => {
      expect(parseDoi(text)).toBeUndefined();
    },
  );
});

describe('ISBNs', () => {
  it.each([
    ['978-0-306-40615-7', '9780306406157'],
    ['ISBN 0-306-40615-2', '0306406152'],
    ['0-8044-2957-x', '080442957X'],
    ['ISBN-13: 979-10-90636-07-1', '9791090636071'],
  ])('takes %s', (text, isbn) => {
    expect(parseIsbn(text)).toBe(isbn);
  });

  it.each(['', '978-0-306-40615-8', '0-306-40615-3', '977-0-306-40615-0', '123', 'X306406152'])(
    'refuses %j',
    (text) => {
      expect(parseIsbn(text)).toBeUndefined();
    },
  );

  it('notices every single wrong digit', () => {
    const good = '9780306406157';
    for (let place = 0; place < 13; place++) {
      for (let digit = 0; digit < 10; digit++) {
        const text = good.slice(0, place) + digit + good.slice(place + 1);
        expect(parseIsbn(text)).toBe(text === good ? good : undefined);
      }
    }
  });
});

describe('web addresses', () => {
  it.each(['https://example.org/a?b=c#d', 'http://127.0.0.1:80/', 'HTTPS://EXAMPLE.ORG', 'https://例え.jp/'])(
    'takes %s',
    (text) => {
      expect(parseWebAddress(text)).toBe(text);
    },
  );

  it.each([
    '',
    'example.org',
    'ftp://example.org',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://',
    'https://a b',
    'http://[::1',
  ])('refuses %j', (text) => {
    expect(parseWebAddress(text)).toBeUndefined();
  });
});
