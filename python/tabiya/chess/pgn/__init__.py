"""Games in PGN: reading, trees of moves with comments, writing.

>>> import io
>>> from tabiya.chess import pgn
>>> game = pgn.read_game(io.StringIO('[White "Anna"]\\n\\n1. e4 e5 (1... c5!) 2. Nf3 {developing} *'))
>>> game.headers["White"], game.next().variations[1].san()
('Anna', 'c5')
>>> print(game.accept(pgn.StringExporter(headers=False)))
1. e4 e5 ( 1... c5 $1 ) 2. Nf3 { developing } *

Trees are for people and editors; they are not the fast way to read many games.
"""

from ._headers import Headers as Headers
from ._nodes import (
    ChildNode as ChildNode,
    Game as Game,
    GameNode as GameNode,
)
from ._reader import (
    read_game as read_game,
    read_headers as read_headers,
    skip_game as skip_game,
)
from ._time_control import (
    TimeControl as TimeControl,
    TimeControlPart as TimeControlPart,
    TimeControlType as TimeControlType,
    parse_time_control as parse_time_control,
)
from ._visitors import (
    SKIP as SKIP,
    BaseVisitor as BaseVisitor,
    BoardBuilder as BoardBuilder,
    FileExporter as FileExporter,
    GameBuilder as GameBuilder,
    HeadersBuilder as HeadersBuilder,
    SkipVisitor as SkipVisitor,
    StringExporter as StringExporter,
)

NAG_NULL = 0
NAG_GOOD_MOVE = 1
NAG_MISTAKE = 2
NAG_BRILLIANT_MOVE = 3
NAG_BLUNDER = 4
NAG_SPECULATIVE_MOVE = 5
NAG_DUBIOUS_MOVE = 6
NAG_FORCED_MOVE = 7
NAG_SINGULAR_MOVE = 8
NAG_WORST_MOVE = 9
NAG_DRAWISH_POSITION = 10
NAG_QUIET_POSITION = 11
NAG_ACTIVE_POSITION = 12
NAG_UNCLEAR_POSITION = 13
NAG_WHITE_SLIGHT_ADVANTAGE = 14
NAG_BLACK_SLIGHT_ADVANTAGE = 15
NAG_WHITE_MODERATE_ADVANTAGE = 16
NAG_BLACK_MODERATE_ADVANTAGE = 17
NAG_WHITE_DECISIVE_ADVANTAGE = 18
NAG_BLACK_DECISIVE_ADVANTAGE = 19
NAG_WHITE_ZUGZWANG = 22
NAG_BLACK_ZUGZWANG = 23
NAG_WHITE_MODERATE_COUNTERPLAY = 132
NAG_BLACK_MODERATE_COUNTERPLAY = 133
NAG_WHITE_DECISIVE_COUNTERPLAY = 134
NAG_BLACK_DECISIVE_COUNTERPLAY = 135
NAG_WHITE_MODERATE_TIME_PRESSURE = 136
NAG_BLACK_MODERATE_TIME_PRESSURE = 137
NAG_WHITE_SEVERE_TIME_PRESSURE = 138
NAG_BLACK_SEVERE_TIME_PRESSURE = 139
NAG_NOVELTY = 146
