import { expect, test } from 'vitest'
import { checkLogo } from '../../../src/platform/config/site.ts'

const NS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
const svg = (inner: string, attributes = 'viewBox="0 0 120 24"') => `<svg ${NS} ${attributes}>${inner}</svg>`
const check = (text: string) => checkLogo(Buffer.from(text))

test.each([
  ['a plain one', svg('<path d="M0 0h10v10z"/>'), 5],
  ['one with a size instead of a box', svg('<g/>', 'width="48px" height="24px"'), 2],
  [
    'what refers to its own parts',
    svg('<style>.a{fill:url(#g)}</style><linearGradient id="g"/><use xlink:href="#g" fill="url( \'#g\' )"/>'),
    5,
  ],
  ['what comes before the first element', `<?xml version="1.0"?><!DOCTYPE svg>${svg('<script>alert(1)</script>')}`, 5],
  ['attributes on lines of their own', `<svg\n${NS}\nstroke-width='9'\nviewBox = '0,0,48 , 24'>\n</svg>\n`, 2],
  ['a byte order mark and a comment', `\ufeff<?xml version="1.0"?><!-- url(http://a) -->${svg('<g/>')}`, 5],
])('takes %s', (_, text, shape) => {
  expect(check(text)).toEqual({ svg: Buffer.from(text), shape })
})

test.each([
  ['no size', svg('<g/>', ''), 'has no size'],
  ['a strip', svg('<g/>', 'viewBox="0 0 900 24"'), 'is 900 wide and 24 high'],
  ['nothing', '', 'is not an SVG file'],
  ['HTML', '<html></html>', 'is not an SVG file: its first element'],
  ['what does not end', svg('<g/>').slice(0, -1), 'is not a whole SVG file'],
  ['an element in a comment', `<!-- ${svg('<g/>')} --><html></html>`, 'is not an SVG file'],
  ['another namespace', '<svg viewBox="0 0 1 1"></svg>', 'is not an SVG file'],
  ['a picture', '\u0089PNG\r\n', 'is not an SVG file'],
  ['too much', svg(`<g id="${'a'.repeat(70_000)}"/>`), 'is a file of 70'],
])('refuses %s, in one line', (_, text, message) => {
  let said = ''
  try {
    check(text)
  } catch (error) {
    said = (error as Error).message
  }
  expect(said).toContain(message)
  expect(said).not.toContain('\n')
})

test('refuses what is not UTF-8', () => {
  expect(() => checkLogo(Buffer.from([0xff, 0xfe, 0x3c]))).toThrow('not valid for encoding utf-8')
})
