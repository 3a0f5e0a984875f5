"""Which words say nothing by themselves? Stop words. They are indexed anyway.

"To be or not to be" and "The Who" consist of little else, and a phrase needs them in their places. A query ignores them
for ranking as long as it has another word. The lists are short classes of function words (articles, pronouns,
prepositions, auxiliaries, question words).
"""
# ruff: noqa: RUF001  # the Russian list is in Russian letters, some of which look like Latin ones

from __future__ import annotations

_ENGLISH = """
a about above across actually after afterwards again against ago all almost alone along already also although always am
among amongst an and another any anybody anyhow anyone anything anyway anywhere are aren around as aside at away back
be became because become becomes becoming been before beforehand behind being below beside besides between beyond both
but by came can cannot cant come comes consider could couldn d did didn do does doesn doing don done down during e each
eg either else elsewhere enough especially et etc even ever every everybody everyone everything everywhere except far
few followed following for former formerly from further furthermore gave get gets getting give given gives go goes
going gone got had hadn happens hardly has hasn have haven having he hence her here hereby herein hers herself hi him
himself his how however i ie if in inc indeed instead into inward is isn it its itself just keep keeps kept know known
knows lately later latter least less lest let like liked likely ll look looking looks m made mainly make makes making
many may maybe me mean means meanwhile might mine more moreover most mostly much must mustn my myself name namely near
nearly necessary need needn needs neither never nevertheless next no nobody none nonetheless nor not nothing now
nowhere obviously of off often oh ok okay on once one ones only onto or other others otherwise ought our ours ourselves
out over overall own particular particularly per perhaps please possible probably put quite rather re really relatively
respectively s said same saw say saying says see seeing seem seemed seeming seems seen self several shall shan she
should shouldn since so some somebody somehow someone something sometime sometimes somewhat somewhere soon still such
sure t take taken takes tell than that the their theirs them themselves then thence there thereafter thereby therefore
therein these they thing things think this those though through throughout thru thus to together too took toward
towards tried tries truly try trying under unless unlike until unto up upon us use used uses using usually ve very via
want wants was wasn way we well went were weren what whatever when whence whenever where whereas whereby wherein
whereupon wherever whether which whichever while whither who whoever whole whom whose why will with within without won
would wouldn yes yet you your yours yourself yourselves
"""
_GERMAN = """
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin
bis bist da damit dann das dass dasselbe daß dein deine dem den denn der deren derer des dessen dich die dies diese
diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einige einigen einiger er es etwas
euch euer eure für gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren
ihrer im in indem ins ist jede jedem jeden jeder jedes jene jetzt kann kein keine keinem keinen keiner können könnte
machen man manche mehr mein meine mich mir mit muss musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine
seinem seinen seiner selbst sich sie sind so solche soll sollte sondern sonst über um und uns unser unsere unter viel
vom von vor während war waren warst was weil welche welchem welchen welcher welches wenn wer werde werden wie wieder
will wir wird wirst wo wollen worden wurde würde würden zu zum zur zwar zwischen
"""
_FRENCH = """
à ai ainsi après au aucun aussi autre aux avait avant avec avoir car ce ceci cela celle celles celui ces cet cette ceux
chaque comme comment d dans de depuis des donc dont du elle elles en encore entre es est et étaient était étant été
être eu eux fait font il ils j je l la là le les leur leurs lors lui m ma mais me même mes mon n ne ni nos notre nous on
ont ou où par parce pas pendant peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans
se sera ses si son sont sous sur t ta te tes toi ton tous tout toute toutes très tu un une vers vos votre vous y
"""
_SPANISH = """
a al algo algunas algunos ante antes aquel aquella como con contra cómo cuál cuáles cuando cuándo cuánto cuántos de del
desde donde dónde durante e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estas
este esto estos fue fueron ha habían había han hasta hay la las le les lo los más me mi mis mucho muchos muy nada ni no
nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque que qué quien quién quienes se sea ser
si sí sin sobre son su sus también tanto te tiene tienen todo todos tu tus un una uno unos y ya yo
"""
_ITALIAN = """
a ad agli ai al alla alle allo anche c che chi ci come con contro cosa cui da dagli dai dal dalla dalle dallo de degli
dei del della delle dello di dove e è ed era erano essere fra gli ha hanno i il in io l la le lei li lo loro lui ma mi
mia mio ne negli nei nel nella nelle nello noi non nostro o ogni per perché più quale quali quando quanto quella quelle
quelli quello questa queste questi questo se sei si sia sono sotto sta su sua sue sugli sui sul sulla sulle suo suoi tra
tu tutti tutto un una uno vi voi
"""
_PORTUGUESE = """
a à ao aos aquela aquele aquilo as às até com como da das de dela dele deles do dos e é ela elas ele eles em entre era
essa esse esta está estas este estes eu foi foram há isso isto já la lhe mais mas me mesmo meu minha muito na não nas
nem no nos nós o os ou para pela pelas pelo pelos por porque qual quais quando quanto que quem são se sem ser seu seus
só sua suas também te tem têm toda todo todos tu um uma umas uns você vocês
"""
_DUTCH = """
aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen had heb
hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na
naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waren
want was wat werd wezen wie wil worden wordt zal ze zelf zich zij zijn zo zonder zou
"""
_RUSSIAN = """
а без более больше будет будто бы был была были было быть в вам вас вдруг ведь во вот впрочем все всего всех всю вы где
да даже два для до другой его ее её ей ему если есть еще ещё ж же за зачем здесь и из или им иногда их к как какая какие
какими каких какое какой каком какому каким какую кем ко когда кого ком кому которая которое которой котором которого
которому которую которые которых который кто куда ли лучше между меня мне много может можно мой моя мы на над надо
наконец нас не него нее неё ней нельзя нет ни нибудь никогда ним них ничего но ну о об один он она они оно опять от
отчего перед по под после потом потому почему почти при про раз разве с сам свое своё свои свою себе себя сейчас сколько
со так такое такой там тебя тем теперь то тогда того тоже только том тот тою тут ты у уж уже хорошо хоть чего чей чем
через что чтоб чтобы чье чьё чью чья эта эти этим этих это этого этой этом этот эту я является являются
"""
STOP_WORDS: dict[str, frozenset[str]] = {  # ISO 639-1
    language: frozenset(words.split())
    for language, words in {
        "en": _ENGLISH,
        "de": _GERMAN,
        "fr": _FRENCH,
        "es": _SPANISH,
        "it": _ITALIAN,
        "pt": _PORTUGUESE,
        "nl": _DUTCH,
        "ru": _RUSSIAN,
    }.items()
}
_DEFAULT_LANGUAGES = frozenset({"en", "ru"})  # as for stems: for pages of unknown language


def is_stop_word(word: str, languages: frozenset[str]) -> bool:
    """Return whether a lower-case word is a stop word in one of the languages, or in a default language."""
    return any(word in STOP_WORDS.get(language, ()) for language in languages | _DEFAULT_LANGUAGES)
