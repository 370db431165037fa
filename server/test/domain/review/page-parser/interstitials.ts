/** A page as a website sends it with status 200. */
export interface Shown {
  what: string
  html: string
  headers?: Record<string, string>
  url?: string
}

type Table = [what: string, html: string, rest?: Omit<Shown, 'what' | 'html'>][]
const shown = (table: Table): Shown[] => table.map(([what, html, rest]) => ({ what, html, ...rest }))

const HIDDEN = '<meta name="robots" content="noindex,nofollow">'
const SCRIPT = '<script>window._cf_chl_opt = {}</script>'
/** About 2,000 characters of ordinary text. */
const LONG = 'How this works, what it costs, and how to get help from our friendly team at any time of day. '.repeat(22)

/** What services show instead of a page, with the website's name where they show it. */
export const CHALLENGES: Shown[] = shown([
  [
    'Cloudflare’s challenge',
    `<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>${HIDDEN}
     <meta http-equiv="refresh" content="360"></head><body><div class="main-wrapper" role="main"><noscript>
     <div class="h2">Enable JavaScript and cookies to continue</div></noscript></div>${SCRIPT}</body></html>`,
  ],
  [
    'Cloudflare’s challenge, by its header',
    '<title>acme.com</title><p>Performing security verification',
    { headers: { 'cf-mitigated': 'challenge' } },
  ],
  [
    'Cloudflare’s challenge, drawn',
    `<title>Just a moment...</title><h1>acme.com</h1><h2>Performing security verification</h2><p>This website uses a
     security service to protect against malicious bots. This page is displayed while the website verifies you are not a
     bot.`,
  ],
  [
    'Cloudflare’s earlier challenge',
    `<title>Just a moment...</title><h1>acme.com</h1><p>Verifying you are human. This may take a few seconds.<p>acme.com
     needs to review the security of your connection before proceeding. Ray ID: 8b2f1c`,
  ],
  [
    'Cloudflare’s first challenge',
    `<title>Just a moment...</title>${HIDDEN}<h1>Checking your browser before accessing acme.com.</h1>
     <p>This process is automatic. Your browser will redirect to your requested content shortly. DDoS protection by
     Cloudflare`,
  ],
  [
    'a challenge with the website’s name in its title',
    '<title>Just a moment… | Acme</title><p>Checking if the site connection is secure<p>acme.com',
  ],
  [
    'Cloudflare’s waiting page',
    '<title>Please Wait... | Cloudflare</title><p>Checking your browser before accessing acme.com.',
  ],
  [
    'Cloudflare’s block',
    `<title>Attention Required! | Cloudflare</title>${HIDDEN}<p>Please enable cookies.<h1>Sorry, you have been blocked
     </h1><h2>You are unable to access acme.com</h2><h2>Why have I been blocked?</h2><p>This website is using a security
     service to protect itself from online attacks. The action you just performed triggered the security solution. There
     are several actions that could trigger this block including submitting a certain word or phrase, a SQL command or
     malformed data.<h2>What can I do to resolve this?</h2><p>You can email the site owner to let them know you were
     blocked. Please include what you were doing when this page came up and the Cloudflare Ray ID found at the bottom of
     this page.<p>Cloudflare Ray ID: 8b2f1c • Your IP: 192.0.2.7 • Performance &amp; security by Cloudflare`,
  ],
  [
    'Cloudflare’s captcha',
    `<title>Attention Required! | Cloudflare</title><h1>One more step</h1><h2>Please complete the security check to
     access acme.com</h2><h2>Why do I have to complete a CAPTCHA?</h2><p>Completing the CAPTCHA proves you are a human
     and gives you temporary access to the web property.<h2>What can I do to prevent this in the future?</h2><p>If you
     are on a personal connection, like at home, you can run an anti-virus scan on your device to make sure it is not
     infected with malware.<p>If you are at an office or shared network, you can ask the network administrator to run a
     scan across the network looking for misconfigured or infected devices.`,
  ],
  [
    'Cloudflare’s waiting room',
    '<title>Waiting Room powered by Cloudflare</title><h1>Acme</h1><p>You are now in line. Thank you for your patience.',
  ],
  [
    'DDoS-Guard',
    `<html><head><title>DDoS-Guard</title>${HIDDEN}</head><body><h1>Checking your browser before accessing acme.com</h1>
     <p>Please wait a few seconds.`,
  ],
  [
    'DDoS-Guard’s script',
    `<title>DDOS-GUARD</title>${HIDDEN}<script src=/.well-known/ddos-guard/js-challenge></script>`,
  ],
  ['a check under the name of the host', '<title>acme.com</title><h1>Checking your browser before accessing acme.com'],
  [
    'Akamai’s block',
    `<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to access
     "http&#58;&#47;&#47;www&#46;acme&#46;com&#47;" on this server.<P>Reference&#32;&#35;18&#46;2b3c4d5e&#46;17&#46;6f
     <P>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18&#46;2b3c4d5e</BODY></HTML>`,
  ],
  ['Imperva’s block', '<title>acme.com</title>Request unsuccessful. Incapsula incident ID: 742000230051442402-3593'],
  [
    'Imperva’s frame',
    `<html><head>${HIDDEN}</head><body><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&amp;xinfo=8-1">Request
     unsuccessful. Incapsula incident ID: 742000230051442402-3593</iframe></body></html>`,
  ],
  [
    'F5’s script',
    `<html><head><script type="text/javascript" src="/TSPD/0850aa9f5aab2000?type=9"></script><noscript>Please enable
     JavaScript to view the page content.<br/>Your support ID is: 11273562735.</noscript></head><body></body></html>`,
  ],
  [
    'free hosting',
    `<html><body><script type="text/javascript" src="/aes.js" ></script><script>function toNumbers(d){}</script><noscript>
     This site requires Javascript to work</noscript></body></html>`,
  ],
  [
    'Imperva’s interruption',
    `<title>Pardon Our Interruption</title><h1>Pardon Our Interruption</h1><p>As you were browsing acme.com something
     about your browser made us think you were a bot. There are a few reasons this might happen.`,
  ],
  [
    'PerimeterX',
    `<title>Access to this page has been denied.</title><div>Please verify you are a human</div><p>Access to this page
     has been denied because we believe you are using automation tools to browse the website.<p>Powered by PerimeterX`,
  ],
  [
    'PerimeterX’s button',
    `<title>Access to this page has been denied</title><meta name=description content=px-captcha>
     <p>Press &amp; Hold to confirm you are a human (and not a bot).`,
  ],
  [
    'PerimeterX’s script',
    '<title>Access to this page has been denied</title><meta name="description" content="px-captcha"><script></script>',
  ],
  [
    'DataDome',
    `<html lang="en"><head><title>acme.com</title></head><body><p id="cmsg">Please enable JS and disable any ad
     blocker</p><script src="https://ct.captcha-delivery.com/i.js"></script></body></html>`,
  ],
  [
    'AWS WAF’s challenge',
    '<title></title><script src="https://abc.edge.sdk.awswaf.com/abc/challenge.js"></script><div id=challenge-container>',
    { headers: { 'x-amzn-waf-action': 'challenge' } },
  ],
  [
    'AWS WAF’s captcha',
    '<title>Human Verification</title><p>Let’s confirm you are human',
    { headers: { 'x-amzn-waf-action': 'captcha' } },
  ],
  [
    'Sucuri’s script',
    `<title>You are being redirected...</title><script></script>`,
    { headers: { 'x-robots-tag': 'noindex' } },
  ],
  [
    'Sucuri’s block',
    '<title>Sucuri WebSite Firewall - Access Denied</title><h1>Access Denied - Sucuri Website Firewall</h1>',
  ],
  [
    'SiteGround',
    '<html><head><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F"></head></html>',
    { headers: { 'sg-captcha': 'challenge' } },
  ],
  ['SiteGround’s screen', '<title>Robot Challenge Screen</title><h1>Checking the site connection security'],
  [
    'F5',
    `<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your
     administrator.<br><br>Your support ID is: 1234567890123456789</body></html>`,
  ],
  [
    'Imunify360',
    '<title>One moment, please...</title><h1>Please wait while your request is being verified...</h1><form id=wsidchk>',
  ],
  ['LiteSpeed', '<title>Bot Verification</title><p>Verifying that you are not a robot...'],
  [
    'Fastly',
    `<title>Client Challenge</title><p>A required part of this site couldn’t load. This may be due to a browser
     extension, network issues, or browser settings.`,
  ],
  ['Vercel', '<title>Vercel Security Checkpoint</title><p>We’re verifying your browser'],
  [
    'Anubis',
    `<title>Making sure you&#39;re not a bot!</title><h1>Making sure you&#39;re not a bot!</h1><p>Loading...
     <p>You are seeing this because the administrator of this website has set up Anubis to protect the server.`,
  ],
  ['Yandex', '<title>Вы не робот?</title><p>Подтвердите, что запросы отправляли вы, а не робот'],
  [
    'Amazon’s captcha',
    `<title>Amazon.com</title><h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not
     a robot.`,
  ],
  [
    'a gate with a captcha',
    `<title>Verify you are human – Acme</title>${HIDDEN}<p>One click, please.
     <script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>`,
  ],
  [
    'a gate with reCAPTCHA',
    `<title>Security check</title>${HIDDEN}<p>I’m not a robot<script src="https://www.google.com/recaptcha/api.js"></script>`,
  ],
  [
    'YouTube’s question about cookies',
    `<title>Before you continue to YouTube</title><p>${LONG}`,
    { url: 'https://consent.youtube.com/m?continue=https%3A%2F%2Fwww.youtube.com%2F%40acme' },
  ],
  [
    'WordPress at work',
    '<title>Maintenance</title>Briefly unavailable for scheduled maintenance. Check back in a minute.',
  ],
  [
    'a plug-in for maintenance',
    `<title>Acme – Site is undergoing maintenance</title><h1>Maintenance mode is on</h1><p>Site will be available soon.
     Thank you for your patience!`,
  ],
])

/** Pages of websites that look like them. */
export const INNOCENT: Shown[] = shown([
  [
    'a shop with such a name',
    '<title>Just a moment</title><h1>Just a moment</h1><p>Tea, cake and slow mornings in Leeds.',
  ],
  [
    'an application behind Imperva',
    '<title>Acme</title><div id=root></div><script src=/app.js></script><script src="/_Incapsula_Resource?ns=1"></script>',
  ],
  ['a shop with such a name alone', '<title>Just a moment…</title>'],
  ['an application with such a name', '<title>Just a moment…</title><div id=root></div><script src=/app.js></script>'],
  [
    'a hidden page with such a name that says what it is',
    `<title>Just a moment</title>${HIDDEN}<meta name=description content="A podcast."><script src=/app.js></script>`,
  ],
  [
    'a podcast',
    '<title>Just a Moment | A podcast on time</title><p>Every week, we look at a single second of history.',
  ],
  ['a song', '<title>Please wait</title><p>A song by the Lindens. Listen on all services.'],
  [
    'a game',
    '<title>Please Wait...</title><p>A game about queues. You are number 4,012.<script src=/game.js></script>',
  ],
  ['a game about robots', '<title>I’m Not a Robot</title><p>Verify you are human in 48 levels.<script></script>'],
  ['a game about gates', '<title>Verify you are human</title><p>Click all traffic lights. A game in nine levels.'],
  [
    'a game with a captcha',
    '<title>Are you human?</title><p>A game.<script src="https://www.google.com/recaptcha/api.js"></script>',
  ],
  ['a band', '<title>Access Denied</title><p>Punk from Bristol since 2009. New record out now.'],
  [
    'an article on Akamai’s block',
    `<title>Access Denied: what “Reference #18” means</title><p>“You don’t have permission to access this page on this
     server. Reference #18…” is what Akamai says.`,
  ],
  [
    'a lock shop',
    '<title>Access Denied | Locks and alarms</title><p>You don’t have permission to access our stock room.',
  ],
  ['a captcha vendor', `<title>hCaptcha – Stop bots</title><p>Verify you are human without puzzles. ${LONG}`],
  [
    'a captcha vendor with its own widget',
    `<title>Human verification – Acme Captcha</title><p>${LONG}<script src="https://js.hcaptcha.com/1/api.js"></script>`,
  ],
  [
    'a small captcha vendor',
    '<title>Human Verification</title><p>Prices from $9.<script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>',
  ],
  ['DDoS-Guard’s own website', `<title>DDoS-Guard — protection from DDoS attacks</title><p>${LONG}`],
  ['a short page of DDoS-Guard', '<title>DDoS-Guard</title><p>Protection of websites and networks. Plans and prices.'],
  ['Cloudflare', `<title>Connect, protect, and build everywhere | Cloudflare</title><p>${LONG}`],
  ['a Cloudflare consultancy', '<title>Attention required: we run your Cloudflare</title><p>Rules, caches, workers.'],
  ['an optician', '<title>Attention required!</title><p>Eye tests for drivers in Kent. Book today.'],
  [
    'an article on a challenge',
    `<title>Checking your browser: why you see it</title><p>“Checking your browser before accessing” is what Cloudflare
     said for years.`,
  ],
  [
    'a long article of that title',
    `<title>Checking your browser</title><p>${LONG} Checking your browser before accessing a website takes time.`,
  ],
  [
    'a tool for tests of browsers',
    '<title>Checking your browser</title><p>Your browser supports WebGL, WebGPU and 31 codecs.<script></script>',
  ],
  [
    'an article on “Just a moment”',
    `<title>“Just a moment…” for ever? Fix it</title><p>Enable JavaScript and cookies to continue, says the page.`,
  ],
  [
    'a page behind Cloudflare',
    '<title>Acme</title><p>Widgets.<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>',
    { headers: { server: 'cloudflare', 'cf-ray': '8b2f1c', 'cf-cache-status': 'DYNAMIC' } },
  ],
  [
    'a page behind Imperva',
    '<title>Acme</title><p>Widgets.',
    { headers: { 'x-iinfo': '9-332984787', 'x-cdn': 'Imperva' } },
  ],
  [
    'a page behind Sucuri',
    '<title>Acme</title><p>Widgets.',
    { headers: { server: 'Sucuri/Cloudproxy', 'x-sucuri-id': '17005' } },
  ],
  ['a page behind AWS', '<title>Acme</title><p>Widgets.', { headers: { 'x-amzn-requestid': 'a', 'x-amz-cf-id': 'b' } }],
  [
    'a page with a captcha in its form',
    '<title>Acme</title><p>Write to us.<form></form><script src="https://www.google.com/recaptcha/api.js"></script>',
  ],
  ['a firewall vendor', `<title>Website firewall | Sucuri</title><p>${LONG} Access Denied - Sucuri Website Firewall`],
  ['Anubis’ own website', '<title>Anubis: Web AI Firewall Utility</title><p>Weighs the soul of requests. Anubis docs.'],
  ['a film about robots', '<title>Making sure you’re not a bot!</title><p>A short film by Ann Lee. 12 minutes.'],
  ['a maintenance vendor', `<title>Maintenance Mode for WordPress</title><p>Show “Briefly unavailable”. ${LONG}`],
  [
    'a small maintenance vendor',
    '<title>Maintenance mode</title><p>A plug-in that tells visitors “briefly unavailable for scheduled maintenance”.',
  ],
  ['a facility company', '<title>Maintenance</title><p>Boilers, lifts and roofs. Scheduled maintenance in Cork.'],
  [
    'a site at work in its own words',
    '<title>Under maintenance</title><p>Our new shop opens in May. Ask us on the phone.',
  ],
  ['a site that comes soon', '<title>Acme | Coming soon</title><p>We are building something.'],
  ['a café with a hidden page', `<title>One moment, please</title>${HIDDEN}<p>Coffee and cake at the harbour.`],
  ['a DNS company', '<title>Client challenge</title><p>A coaching programme for clients of small firms.'],
  ['a redirect by hand', '<title>You are being redirected</title><p>Our blog has moved to a new place. Read on there.'],
  ['a consent tool', '<title>Before you continue: consent done right</title><p>Cookie banners for small websites.'],
  ['a consent tool’s host', '<title>Consent</title><p>Cookie banners.', { url: 'https://consent.acme.com/' }],
  [
    'an ad blocker',
    '<title>Acme Blocker</title><p>Blocks ads. Websites say: please enable JS and disable any ad blocker.',
  ],
  ['a court', '<title>Request rejected</title><p>What to do if the authority says no. Advice from lawyers.'],
  ['a typing test', '<title>Type it</title><p>Enter the characters you see below, as fast as you can.'],
  ['a page on proofs', '<title>Вы не робот? Тест</title><p>Пройдите тест и узнайте, человек вы или робот.'],
  ['a waiting room', '<title>Waiting room</title><p>You are now in line: an app for doctors and their patients.'],
  [
    'an application that needs scripts',
    '<title>Acme</title><noscript>Enable JavaScript and cookies to continue</noscript>',
  ],
])
