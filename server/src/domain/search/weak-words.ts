import { lazily } from '../../platform/lib/lazily.ts'
import { isSolid, runsOf } from './fold.ts'

/**
 * Words that distinguish no listings: articles, pronouns, prepositions, question words and auxiliaries of the languages
 * with a stemmer, and words that people add to any search for a website. If fewer than five listings have every word,
 * search also finds listings without these.
 */
const WEAK = `
  app apps application applications tool tools site sites website websites webpage page pages web online software
  service services platform program solution solutions product products something someone anything thing things stuff
  best top good great nice better cheap cheapest free easy simple popular alternative alternatives similar instead
  please need needs want wants looking look find finding search searching get getting give show tell know use using
  used make making help like try recommend recommendation suggest near list lists buy
  maker checker generator creator finder request requests alert alerts ideas tips examples management manager monitor
  monitoring rental rentals hire delivery price prices pricing cost costs quote quotes review reviews compare comparison
  company companies startup startups team teams professional remove add keep matters matter piece pieces kind sort way
  ways somewhere anywhere someone anyone somebody people person template templates content digital take put across among
  around old new small big another together without own quick quickly system systems basic world others two three tracker
  a an and any are as at be been but by can could did do does doing each every few for from go going had has have he
  her him his how i if in into is it its just lot many may me might more most much must my near no not of off on one
  only or other our out over own s she should so some t than that the their them then there these they this those
  through to too under up us very via was we were what when where which while who whom whose why will with within
  without would you your im ive dont doesnt id
  der die das den dem des ein eine einen einem einer eines und oder aber mit ohne fur von vom zu zum zur im in am an
  auf aus bei beim nach uber unter um durch gegen ist sind war bin bist hat habe haben wird werden kann kannst konnen
  muss soll will mochte ich du er sie es wir ihr mich mir dich dir uns mein meine meinen meinem meiner dein deine sein
  seine unser wie was wer wo wann warum welche welcher welches wieviel nicht kein keine nur auch noch schon sehr mehr
  programm verwaltung verwalten verwalter vergleich vergleichen liste sammlung vorlage vorlagen muster rechner
  man sich beste besten gratis kostenlos kostenlose einfach suche finde finden gibt brauche machen mache anwendung
  le la les l un une des du de d et ou mais avec sans pour par sur sous dans en au aux chez vers est sont etait suis
  ai as a ont peut peux faut veux je tu il elle on nous vous ils elles me te se mon ma mes ton ta tes son sa ses notre
  nos votre vos leur leurs ce cet cette ces qui que quoi dont comment quand pourquoi quel quelle quels quelles combien
  ne pas plus tres aussi trouver cherche chercher meilleur meilleure meilleurs gratuit gratuite gratuits outil bon
  bonne bons bonnes logiciel faire
  el los las uno una unos unas y o pero con sin para por sobre bajo desde hasta del al es son era soy estoy esta estan
  hay he ha han puede puedo quiero necesito yo tu ella nosotros ellos mi mis tu tus su sus nuestro este estos esa ese
  eso quien como cuando donde porque cual cuales cuanto cuanta no mas muy tambien mejor mejores buscar busco encontrar
  gratuito hacer herramienta aplicacion
  os as um uma uns umas e ou mas com sem por para em no na nos nas do da dos das ao aos pelo pela sao era sou estou
  tem ter pode posso quero preciso eu ele ela nos eles meu minha meus minhas seu sua seus suas este esta isso que quem
  como quando onde porque qual quais quanto nao mais muito tambem melhor melhores procuro encontrar fazer ferramenta
  il lo gli i uno e o ma con senza per su sotto tra fra di da nel nella nei nelle del della dei degli delle al alla ai
  alle dal dalla sono era ho hai ha hanno puo posso voglio devo io lui lei noi voi loro mio mia miei mie tuo tua suo
  sua questo questa quello che chi come quando dove perche quale quali quanto non piu molto anche migliore migliori
  cerco trovare fare strumento gratuita
  de het een en of maar met zonder voor van op onder in uit bij naar aan over door is zijn was ben heeft heb hebben
  kan kunnen moet wil ik jij je hij zij wij we ze mijn jouw ons onze hun dit dat deze die wie wat waar wanneer waarom
  beheer beheren beheerder programma welke hoe hoeveel niet geen meer ook zeer heel beste goede zoek zoeken vinden maken
  en ett den det de och eller men med utan for fran pa under i ur vid till av om genom ar var har kan ska vill maste
  jag du han hon vi ni min mitt mina din dina sin sitt var vart denna detta som vem vad nar varfor vilken vilka hur
  hanterare hantering hantera inte ingen mer mycket ocksa basta bra hitta soker gora
  et og eller uden fra til ved er jeg du hun vi mit dine sin hvad hvem hvor hvornar hvorfor hvilken hvilke hvordan ikke
  ingen mere ogsa bedste god gode finde soger lave uten hva nar hvorfor hvordan ikke ogsa beste finn lage mye som
  ja tai mutta kanssa ilman on ovat oli olen olla voi voin mina sina han me te he minun sinun taman tama se ne joka
  hallinta ohjelma kuka mika mita missa milloin miksi kuinka miten ei enemman myos paras parhaat ilmainen etsi loytaa tehda
  az egy es vagy de nelkul van vannak volt en te o mi ti ok enyem ez azt ezt aki ami hol mikor miert hogyan melyik
  nem is meg csak nagyon legjobb ingyenes keres talal
  un o si sau dar cu fara pentru de la pe sub in din este sunt era am ai are au poate pot vreau eu tu el ea noi voi
  meu mea mei tau ta acest aceasta care cine ce unde cand cum cat nu mai foarte cel cea cele buna gasesc
  jak czy gdzie dla oraz lub nie jest moj moja moje moge mozna znalezc szukam najlepszy darmowy z w do od po przy
  a ale nebo s se bez pro na pod v ve z ze do u od po je jsou byl jsem ma muze chci ja ty on ona my vy oni muj moje
  tento ktery ktera kdo co kde kdy proc jak kolik ne vice velmi take nejlepsi zdarma hledam najit
  in ali pa z s brez za na pod v iz do od je so bil sem ima lahko hocem jaz ti on mi vi moj moja ta to ki kdo kaj kje
  kdaj zakaj kako koliko ne vec zelo tudi najboljsi brezplacno iscem najti
  eta edo baina da dira zen naiz du dute nik zuk hori hau zein nor zer non noiz nola ez gehiago oso ere onena doan
  i amb sense per entre el els les un una uns unes es son soc te tinc puc vull jo ell ella meu meva seu que qui com
  quan on quin quina quant no mes molt tambe millor gratis cerco trobar fer
  ve veya ama ile icin bir bu su o ben sen biz siz onlar benim senin var yok mi mu ne kim nerede ne zaman neden nasil
  hangi kac degil daha cok da de en iyi ucretsiz bul ariyorum
  и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще
  нет о из ему когда даже ну ли если или быть был до вас уж вам ведь там потом себя может они тут где есть надо для мы
  тебя их чем была чтоб без чего при кто этот эта это мой моя мои какой какая какие сколько почему лучший лучшие
  бесплатно бесплатный найти ищу хочу нужно нужен сайт приложение программа
  في من على الى إلى عن مع بدون هذا هذه ذلك التي الذي هو هي هم انا أنا نحن انت أنت كيف ماذا ما متى اين أين لماذا كم هل
  لا و أو او ثم كل افضل أفضل مجاني مجانا اريد أريد ابحث تطبيق موقع
  և կամ բայց հետ առանց համար է են եմ ես դու նա մենք որ ով ինչ որտեղ երբ ինչու ինչպես ոչ լավագույն անվճար
  மற்றும் அல்லது ஒரு இந்த அந்த நான் நீ அவர் என் எப்படி என்ன எங்கே எப்போது ஏன் இல்லை சிறந்த இலவச
`

const words = lazily(() => new Set(runsOf(WEAK)))

/** Returns whether a folded word says what is wanted, alone or with others. Numbers and single letters don't. */
export const isDistinctive = (word: string): boolean =>
  !words().has(word) && (isSolid(word) || !/^(?:\p{N}+|\p{L})$/u.test(word))

/** Each costs some lookups. */
const DISTINCTIVE_MAX = 8

/** Returns the words that say what is wanted, or all if there are none; at most eight. */
export function distinctiveOf(typed: readonly string[]): string[] {
  const distinctive = typed.filter(isDistinctive)
  return (distinctive.length > 0 ? distinctive : typed).slice(0, DISTINCTIVE_MAX)
}
