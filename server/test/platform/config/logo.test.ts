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
  ['a byte order mark and a comment', `\ufeff<?xml version="1.0"?><!-- url(http://a) -->${svg('<g/>')}`, 5],
])('takes %s', (_, text, shape) => {
  expect(check(text)).toEqual({ svg: Buffer.from(text), shape })
})

test.each([
  ['script', svg('<script>alert(1)</script>'), 'has the element script,'],
  ['another namespace’s script', svg('<x:script xmlns:x="http://www.w3.org/1999/xhtml"/>'), 'has the element script,'],
  ['foreign content', svg('<foreignObject><b/></foreignObject>'), 'has the element foreignObject,'],
  ['handlers', svg('<g ONLOAD="alert(1)"/>'), 'has the attribute ONLOAD,'],
  ['links', svg('<a href="javascript:alert(1)"/>'), 'has a reference to "javascript:alert(1)",'],
  ['pictures from elsewhere', svg('<image xlink:href="https://a.com/x.png"/>'), 'has a reference to'],
  ['data', svg('<image href="data:image/svg+xml,x"/>'), 'has a reference to'],
  ['animated links', svg('<set attributeName="xlink:href" to="x"/>'), 'has an animation of xlink:href'],
  ['styles from elsewhere', svg('<style>@import "x.css";</style>'), 'has a reference in'],
  ['styles in CDATA', svg('<style><![CDATA[a{fill:url("//a.com/x")}]]></style>'), 'has a reference in'],
  ['escaped styles', svg('<g style="fill:u\\72l(//a.com)"/>'), 'has a reference in'],
  ['paint from elsewhere', svg('<g fill="url(x.svg#a)"/>'), 'has a reference in'],
  ['document types', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('<g/>')}`, 'has a document type,'],
  ['style instructions', `<?xml-stylesheet href="a.css"?>${svg('<g/>')}`, 'has the instruction xml-stylesheet,'],
  ['no size', svg('<g/>', ''), 'has no size'],
  ['a strip', svg('<g/>', 'viewBox="0 0 900 24"'), 'is 900 wide and 24 high'],
  ['nothing', '', 'is not an SVG file'],
  ['HTML', '<html></html>', 'is not an SVG file: its first element'],
  ['what does not end', `${svg('<g>')}`, 'is not an SVG file'],
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
  expect(() => checkLogo(Buffer.from([0xff, 0xfe, 0x3c]))).toThrow('is not an SVG file: it is not UTF-8')
})
