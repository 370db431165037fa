import type { ReviewReason } from '@placard/contract'

/** Phrases of one kind of page, each with its weight. Ten, with two distinct phrases, are a refusal. */
export interface Kind {
  kind: string
  reason: ReviewReason
  /** By weight, separated by commas: words in lower case, without punctuation. */
  phrases: Readonly<Record<number, string>>
}

/**
 * What such pages say to sell, in the words of their trade. Never a mere subject: pages about sex education, gambling
 * addiction or phishing name all of those.
 */
export const KINDS: readonly Kind[] = [
  {
    kind: 'adult',
    reason: 'adult_content',
    phrases: {
      6: `xxx videos, xxx movies, xxx dvd, free porn, porn videos, hd porn, hd sex videos, free sex videos, full length porn,
        porn dvds, amateur porn, live sex cams, sex cams, cam sex, nude cam, nude webcam, nude chat, naked girls, cam girls,
        live cams, leaked nudes, onlyfans leaks, onlyfans leaked, milf porn, ebony porn, gay porn, femdom porn, bdsm porn,
        vr porn, mature porn, shemale porn, uncensored hentai, hentai videos, hentai manga, free porn pics, sex tapes,
        live strip show, call girls, independent escorts, outcall escorts, high class escorts, vip companions, escort girls,
        casual hookup, sex dating, meet for sex, sex near you, looking for sex, hot singles, horny singles, hook up tonight,
        adult personals, casual sex in your area, pornstar, pornstars, porn collection, porn search, free porn tube,
        kostenlose pornos, gratis pornos, pornofilme, camsex, sexkontakte, hobbyhuren, geile frauen, nackte camgirls,
        vidéos porno, films porno, porno amateur, plan cul, rencontres sexe, porno gratis, videos porno, vídeos pornô,
        porno casero, sexo en vivo, webcams porno, chicas desnudas, film porno, video porno, incontri di sesso,
        annunci erotici, pornô grátis, garotas de programa, acompanhantes de luxo, gratis porno, sekscams, sekscontact,
        webcamsex, geile webcams, порно видео, русское порно, домашнее порно, секс видео, проститутки, индивидуалки,
        интим услуги, sex anonse, darmowe porno, seks kamerki, escort bayan, ateşli kızlar, porno izle, seks kamera`,
      4: `erotic massage, happy ending, erotic services, adult dating, swingers, no strings attached, sexually explicit material,
        explicit galleries, nude amateur, nude photos, nude models, naked masseuses, hardcore previews, hardcore movies,
        fetish videos, foot fetish, bondage clips, girlfriend experience, sex pics, explicit erotica, upskirt galleries,
        private cam, private shows, topless videos, sex stories, cam models, dominatrix live, huge tits, escort agency,
        escort service, escort damen, erotische massage, erotikmassage, massage érotique, masaje erótico, final feliz,
        escorts de lujo, putas, massagem erótica, vídeos de sexo, chat de sexo, sexo amateur, эротический массаж,
        amateur sexvideos, livecams, sexchat, women seeking`,
      2: `18 or older, over 18, adults only, 18 only, 18 years, nur für erwachsene, ab 18, moins de 18 ans, mayores de 18,
        minori di 18, solo adulti, maiores de 18, site adulto, строго 18, tylko dla dorosłych`,
    },
  },
  {
    kind: 'phishing',
    reason: 'malicious',
    phrases: {
      6: `verify your account, confirm your card, your recovery phrase, your seed phrase, 12 word recovery phrase,
        your email password, card number and cvv, pin and cvv, your computer is infected, call support now,
        disable your antivirus, download crack, keygen, serial key, full version cracked, complete human verification,
        disable play protect, enable macros, click enable content, all your files have been encrypted, buy cvv, fullz,
        dumps with pin, bank logs, stealer logs, fully undetectable, buy malware, phishing kit, bank scampage, otp bot,
        ip stresser, booter, claim your tax refund, claim your refund now, confirm your bank details,
        bestätigen sie ihr konto, wird ihr konto gesperrt, ihr computer ist infiziert, geben sie ihre zugangsdaten,
        geben sie ihre kartennummer, vérifiez votre compte, votre compte sera suspendu, saisissez votre numéro de carte,
        verifique su cuenta, su cuenta será suspendida, el número de su tarjeta, verifica il tuo account,
        tuo conto sarà bloccato, inserisci il numero della carta, verifique sua conta, sua conta será bloqueada,
        vul uw kaartnummer in, подтвердите свой аккаунт, введите номер карты, podaj numer karty`,
      4: `account has been limited, account will be terminated, account will be locked, will be permanently suspended,
        unusual activity, suspicious activity on your computer, confirm your identity, verify your identity,
        update your payment details, avoid suspension, enter your card number, with your card number, verify your card number,
        social security number, connect your wallet, approve the transaction, validate your wallet, virus detected,
        threats found on your computer, do not shut down your computer, pay in bitcoin, decryption key,
        unlimited gift card codes, generate unlimited, unknown sources, hacked apk, nulled themes, cracked plugins,
        license key, enter your password again, session has expired, toll free, mailbox is almost full,
        upgrade your mailbox, could not be delivered, reschedule delivery, customs fee, redelivery fee, free skins,
        confirm your password, cancel the deactivation, suspend your account, account has been suspended,
        benefits have been suspended, verify their payroll details, remote access so that, ddos attack any website,
        password stealer, crypter, pay the shipping fee, the missed delivery, ungewöhnliche aktivitäten,
        konto wurde eingeschränkt, konnte nicht zugestellt werden, zollgebühr, virus gefunden, windows support,
        activité inhabituelle, compte est suspendu, votre colis, frais de livraison, dernier rappel, actividad inusual,
        cuenta ha sido bloqueada, su paquete, tasa de aduana, attività insolite, conto è stato sospeso, pacco è in giacenza,
        spese di spedizione, atividade incomum, conta foi suspensa, kon niet worden bezorgd, подозрительная активность,
        аккаунт заблокирован, twoja paczka czeka, opłać dopłatę, kod cvv`,
      2: 'within 24 hours, within 72 hours, in 10 minutes, innerhalb von 24 stunden, sous 24 heures, en 24 horas, entro 24 ore, em 24 horas, в течение 24 часов, you are eligible for',
    },
  },
  {
    kind: 'scam',
    reason: 'policy',
    phrases: {
      6: `free spins no deposit, spins no deposit, no deposit bonus, slots for real money, play for real money, pokies for real money,
        roulette for real money, best online casino, best online slots, fast payout casino, slot gacor, judi online,
        judi bola, bandar togel, togel online, situs slot, guaranteed profit, guaranteed returns, guaranteed income, double your bitcoin,
        risk free investment, double your money, buy viagra, cheap cialis, viagra online, tramadol no prescription,
        without prescription, no prescription, replica watches, replica handbags, fake diploma, fake id, fixed matches, sure win,
        buy backlinks, buy instagram followers, buy followers, buy likes, earn 500 a day, earn 300 a day,
        lose weight fast, miracle weight loss, miracle cure, doctors hate, counterfeit money for sale, buy fake money,
        buy weed online, mail order cocaine, steroids for sale, buy steroids, hacker for hire, hire a hacker, lottery spell,
        high yield investment, no credit check payday, cheap iptv, cash flip, male enhancement, 1000x token,
        willkommensbonus, casino ohne limit, casino ohne lizenz, bonus ohne einzahlung, schnell geld verdienen,
        garantierter gewinn, viagra rezeptfrei, cialis ohne rezept, bonus sans dépôt, casino en ligne argent, gains garantis,
        bono sin depósito, ganancias garantizadas, gana dinero rápido, bonus senza deposito, casino non aams, bônus sem depósito,
        jogo do tigrinho, казино на реальные деньги, бездепозитный бонус, гарантированный доход, deneme bonusu, kaçak bahis,
        bonus bez depozytu, kasyno online na prawdziwe, zonder cruks`,
      4: `online casino, welcome bonus, free spins, live casino, claim your bonus, claim your welcome bonus, bonus new member,
        deposit pulsa, deposit dana, online slots, real money, instant withdrawals, no wagering, match bonus, jackpot slots, free bet,
        mirror link, sports betting, online betting, passive income daily, make money fast, risk free, never lose,
        work from home, no experience needed, discreet worldwide shipping, stealth shipping, worldwide shipping,
        canadian pharmacy, 100 guaranteed results, aaa replica, dofollow links, guest post links, casino links, bad credit ok,
        guaranteed approval, referral commission, withdraw anytime, receive double, pays 20 daily, paying 5 daily, forex signals,
        binary options, like videos, vip group, just pay shipping, claim your prize, you have won, without exercise,
        all sports and ppv unlocked, reseller panel, anabolic steroids, mdma pills, overnight delivery, bitcoin accepted,
        freispielen, spielautomaten um echtgeld, von zu hause, diskreter versand, casino en ligne, tours gratuits,
        retrait immédiat, sans risque, casino online, giros gratis, dinero real, sin riesgo, desde casa, giri gratis,
        soldi veri, cassino online, rodadas grátis, aposta com pix, онлайн казино, фриспины, игровые автоматы,
        рабочее зеркало, быстрый заработок, без риска, canlı bahis, yeni giriş, bedava bonus, kasyno online, darmowe spiny,
        welkomstbonus, gratis spins, gokkasten met echt geld, rtp slot`,
      2: 'limited offer, act now, no risk, get cash now, before it moons, join our, sin experiencia, sans expérience, keine erfahrung',
    },
  },
]

/** What pages say that warn, teach, help or report. Each takes from every kind. */
export const SOBERING = `warning signs, how to recognise, how to recognize, how to spot, never share, do not click, report it,
  reported to, awareness, helpline, support group, charity, counselling, counseling, addiction, gambling harm, self exclusion,
  researchers, research, case study, history of, museum, archive, curriculum, lesson, teachers, students, sex education,
  sexual health, consent, clinic, patients, glossary, translation, we explain, explains, journalism, investigation, law enforcement,
  police, court, victims, prevention, safer sex, contraception, survivors, academic, university, exhibition, novel,
  our scanner, detects, detection, blocklist, threat intelligence, simulated, training, protect yourself, scammers,
  beratung, aufklärung, forschung, suchthilfe, warnung vor, so erkennen sie, prävention, recherche, sensibilisation, arnaques,
  comment reconnaître, aide aux victimes, musée, prevención, cómo reconocer, estafas, investigación, educación sexual, museo,
  truffe, ricerca, come riconoscere, educazione sessuale, prevenzione, onderzoek, voorlichting, badania, oszustwa, история,
  исследование, мошенники, помощь`
