import { describe, expect, it } from 'vitest'
import { misspeltSettings, SETTINGS, suggestSetting } from '../../../src/platform/config/settings.ts'

describe('a variable that looks like a misspelt setting', () => {
  it.each([
    ['BASEURL', 'BASE_URL'],
    ['BASE_URI', 'BASE_URL'],
    ['base_url', 'BASE_URL'],
    ['Port', 'PORT'],
    ['PLACARD_BASE_URL', 'BASE_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['SERVICE_KEYS', 'SERVICE_KEY'],
    ['PAYMENT', 'PAYMENTS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['STRIPE_SECRETKEY', 'STRIPE_SECRET_KEY'],
    ['STRIPE_SECRET', 'STRIPE_SECRET_KEY'],
    ['STRIPE_WEBHOOK', 'STRIPE_WEBHOOK_SECRET'],
    ['ALLOW_TESTMONEY', 'ALLOW_TEST_MONEY'],
    ['LIMIT_QUOTES_PER_MINUTE', 'LIMIT_QUOTES_PER_MINUTE_PER_IP'],
    ['LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOSTS', 'LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST'],
  ])('gets the intended setting suggested: %s', (name, setting) => {
    expect(suggestSetting(name)).toBe(setting)
    expect(misspeltSettings({ [name]: 'hunter2' })).toEqual([`${name} is not a setting. Did you mean ${setting}?`])
  })

  it.each(Object.keys(SETTINGS))('is none where it is a setting itself: %s', name => {
    expect(suggestSetting(name)).toBeUndefined()
  })

  // What shells, systems, containers, proxies, npm, databases and Stripe's own programs set.
  it.each(
    `PATH PORTABLE HOSTNAME HOSTTYPE HOST_NAME HOSTS PORTS POST GHOST HOME PWD OLDPWD USER LOGNAME SHELL SHLVL LANG
    LC_ALL TERM TMPDIR EDITOR DISPLAY MAIL MANPATH XDG_DATA_DIRS XDG_DATA_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS
    SSH_CONNECTION INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy no_proxy
    NODE_ENV NODE_OPTIONS NODE_PATH INIT_CWD npm_config_loglevel npm_config_base_url npm_package_name npm_lifecycle_event
    KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT SERVICE_HOST SERVICE_NAME SERVICE_PORT CI
    PLACARD_PORT PLACARD_SERVICE_HOST PLACARD_IMAGE
    PGHOST PGPORT PGDATA PGDATABASE POSTGRES_DB POSTGRES_PASSWORD DB_HOST DB_URL DATABASE DATABASE_NAME DATABASE_HOST
    REDIS_URL PUBLIC_URL APP_URL API_URL DATA BASE LOG LIMIT SUPPORT SERVICE STRIPE DNS LOG_FILE LOG_DIR DATA_PATH
    BASE_PATH BASE_DIR SECRET_KEY STRIPE_API_KEY STRIPE_ACCOUNT STRIPE_DEVICE_NAME STRIPE_PUBLISHABLE_KEY
    VIPS_BLOCK_UNTRUSTED MALLOC_ARENA_MAX SCREENSHOTS`.split(/\s+/),
  )('is not seen in an ordinary one: %s', name => {
    expect(suggestSetting(name)).toBeUndefined()
  })

  it('gets no warning if it is empty, or if that setting is set too', () => {
    expect(misspeltSettings({ BASEURL: ' ' })).toEqual([])
    expect(misspeltSettings({ DATABASE_URI: 'x', DATABASE_URL: 'postgres://localhost/x' })).toEqual([])
  })

  it('is none in the environment of these tests', () => {
    expect(misspeltSettings(process.env)).toEqual([])
  })
})
