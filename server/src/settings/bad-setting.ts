/** A bad setting. The message is one line and names the setting. */
export class BadSetting extends Error {
  constructor(setting: string, problem: string) {
    super(`${setting} ${problem}`)
    this.name = 'BadSetting'
  }
}
