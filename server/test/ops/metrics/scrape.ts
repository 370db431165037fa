/** The metrics as Prometheus reads them: the value of each series, by its name and labels as they are printed. */
export async function scrape(url: string): Promise<Map<string, number>> {
  const response = await fetch(url)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return new Map(
    text
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}
