"""Function words, negations and number words of the languages known here. Ambiguous words (`die`, `war`,
`son`) are left out."""

from typing import Final

_ENGLISH: Final = """
a an the and or but if of to in on at by for from with without as is are was were be been being am
do does did have has had having it its he she they them his her their theirs this that these those
there here i you we us me my your our ours who whom whose which what when where why how than then so
such can could will would shall should may might must about into over after before between during
through up down out off again also any all some each both few more most other own same only just
very s t ll re ve d m please tell explain describe list
"""
_SPANISH_PORTUGUESE: Final = """
el la los las un una unos unas y o u de del al en con por para como que qué quien quién cual cuál
cuando cuándo donde dónde cuanto cuánto cuántos cuántas es fue fueron era eran ser estar está están
ha han se su sus lo le les me te nos este esta estos estas ese esa eso más pero si sí también entre
sobre desde hasta muy ya os uma uns umas e do da dos das no na nos nas em com como quem qual quais
quando onde quanto quantos são foi foram ao aos à às pelo pela pelos pelas seu sua seus suas não
isso isto mais mas também já até
"""
_FRENCH_GERMAN_ITALIAN: Final = """
le un une des et ou du au aux dans avec par sur que qui quoi quel quelle quels quelles quand où
comment pourquoi est sont était ont sa son ses leur leurs ce cet cette ces il elle ils elles je tu
nous vous der das den dem des ein eine einer eines einem einen und oder aber von vom zu zum zur mit
für auf aus bei nach über unter wer was wann wo wie warum welche welcher welches ist sind waren wird
werden haben sich il gli i lo uno e di del della dei delle nel nella che chi cosa perché sono è
"""
_NEGATIONS: Final = """
no not never none nobody nothing neither nor without cannot can't don't doesn't didn't isn't aren't
wasn't weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't unable lack lacks lacking
fails failed refused denied nunca jamás nadie nada ningún ninguna sin tampoco não nenhum nenhuma nem
sem ninguém ne pas jamais aucun aucune rien sans nicht kein keine keinen keiner nie niemals ohne non
mai nessuno senza
"""
_COUNTING: Final = """
zero one two three four five six seven eight nine ten eleven twelve
cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce
null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
"""
_ORDINALS: Final = {
    "first": "1",
    "second": "2",
    "third": "3",
    "fourth": "4",
    "fifth": "5",
    "twenty": "20",
    "hundred": "100",
}

STOP_WORDS: Final = frozenset(f"{_ENGLISH} {_SPANISH_PORTUGUESE} {_FRENCH_GERMAN_ITALIAN}".split())
NEGATIONS: Final = frozenset(_NEGATIONS.split())
NUMBER_WORDS: Final = {
    word: str(value) for line in _COUNTING.strip().splitlines() for value, word in enumerate(line.split())
} | _ORDINALS
