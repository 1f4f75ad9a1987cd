//! A client of a session without a browser, which answers its jobs from a script.

use std::sync::Arc;
use std::time::Duration;

use chess::{Move, Position};
use serde_json::{Value, json};
use tabiya_serve::job::*;
use tabiya_serve::protocol::*;
use tabiya_serve::session::{Session, Uploads, levels, ratings};

/// Uploads by number, from 0.
pub struct Texts(pub Vec<Arc<str>>);

impl Uploads for Texts {
    fn text(&self, upload: u64) -> Option<Arc<str>> {
        self.0.get(upload as usize).cloned()
    }
}

/// The page.
pub struct Client {
    pub session: Session,
    pub now: Duration,
    /// Jobs that have not been answered.
    pub jobs: Vec<Job>,
    /// What was received by the last input.
    pub received: Vec<ServerMessage>,
    pub game: Option<GameMessage>,
    pub position: Option<PositionMessage>,
    pub play: Option<PlayMessage>,
    pub timer: Option<Duration>,
}

pub fn welcome() -> Welcome {
    let head = |name: &str| HeadInfo { name: name.into(), free: false };
    Welcome {
        protocol: 1,
        session: 1,
        version: "test".into(),
        cores: 2,
        levels: levels(),
        ratings: ratings(),
        paco_levels: Vec::new(),
        model: ModelInfo { layers: 2, heads: vec![head("knight"), head("bishop")] },
    }
}

pub fn person() -> Value {
    json!({ "kind": "person" })
}

pub fn engine() -> Value {
    json!({ "kind": "engine", "level": 7 })
}

impl Client {
    pub fn new() -> Self {
        Self::with_texts(&[])
    }

    pub fn with_texts(texts: &[&str]) -> Self {
        let texts = Texts(texts.iter().map(|&text| text.into()).collect());
        Self {
            session: Session::new(welcome(), 1, Arc::new(texts)),
            now: Duration::ZERO,
            jobs: Vec::new(),
            received: Vec::new(),
            game: None,
            position: None,
            play: None,
            timer: None,
        }
    }

    pub fn input(&mut self, input: Input) {
        self.received.clear();
        for output in self.session.handle(input, self.now) {
            match output {
                Output::Send(message) => {
                    match &message {
                        ServerMessage::Game(game) => self.game = Some(game.clone()),
                        ServerMessage::Position(position) => self.position = Some(position.clone()),
                        ServerMessage::Play(play) => self.play = Some(play.clone()),
                        _ => {}
                    }
                    self.received.push(message);
                }
                Output::Start(job) => self.jobs.push(job),
                Output::Stop(id) => assert!(self.jobs.iter().any(|job| job.id == id)),
                Output::SetTimer(at) => self.timer = at,
            }
        }
    }

    /// Sends a message, which must not be answered by an error.
    pub fn send(&mut self, message: Value) {
        self.input(Input::Message(serde_json::from_value(message).unwrap()));
        assert_eq!(self.error(), None);
    }

    /// Sends a message that is an error, and returns the error.
    pub fn refused(&mut self, message: Value) -> String {
        self.input(Input::Message(serde_json::from_value(message).unwrap()));
        self.error().expect("an error")
    }

    pub fn error(&self) -> Option<String> {
        self.received.iter().find_map(|message| match message {
            ServerMessage::Notice { level: NoticeLevel::Error, text, .. } => Some(text.clone()),
            _ => None,
        })
    }

    /// Plays moves of people in UCI notation.
    pub fn moves(&mut self, moves: &str) {
        for uci in moves.split_whitespace() {
            self.send(json!({ "type": "move", "uci": uci }));
        }
    }

    pub fn new_game(&mut self, white: Value, black: Value, clock: Value) {
        self.send(json!({ "type": "new_game", "variant": "chess", "white": white, "black": black,
                         "clock": clock }));
    }

    pub fn new_game_from(&mut self, fen: &str, white: Value, black: Value, clock: Value) {
        self.send(json!({ "type": "new_game", "variant": "chess", "fen": fen, "white": white,
                         "black": black, "clock": clock }));
    }

    /// Advances the time, with the timer.
    pub fn wait(&mut self, milliseconds: u64) {
        let end = self.now + Duration::from_millis(milliseconds);
        while let Some(at) = self.timer.filter(|&at| at <= end) {
            self.now = self.now.max(at);
            self.timer = None;
            self.input(Input::Timer);
        }
        self.now = end;
    }

    /// Takes the job that fits.
    pub fn take_job(&mut self, fits: impl Fn(&Work) -> bool) -> Job {
        let at = self.jobs.iter().position(|job| fits(&job.work));
        self.jobs.remove(at.unwrap_or_else(|| panic!("no such job: {:?}", self.jobs)))
    }

    pub fn take_search(&mut self, purpose: Purpose) -> (JobId, Search) {
        let job = self.take_job(|work| matches!(work, Work::Search(s) if s.purpose == purpose));
        match job.work {
            Work::Search(search) => (job.id, search),
            _ => unreachable!(),
        }
    }

    /// The engine plays a move, after the time it waits.
    pub fn engine_plays(&mut self, uci: &str) {
        let (id, search) = self.take_search(Purpose::Play);
        let best = search.game.position().parse_uci(uci).unwrap();
        self.input(Input::Update(id, Update::Found { best: Some(best), lines: Lines::default() }));
        self.wait(1000);
    }

    pub fn fen(&self) -> &str {
        &self.position.as_ref().unwrap().fen
    }

    pub fn node(&self) -> u32 {
        self.position.as_ref().unwrap().node
    }

    pub fn legal(&self, uci: &str) -> &LegalMove {
        let legal = &self.position.as_ref().unwrap().legal;
        legal.iter().find(|m| m.uci == uci).unwrap_or_else(|| panic!("{uci} in {legal:?}"))
    }

    /// The result of the game in play and its reason.
    pub fn end(&self) -> Option<(GameResult, String)> {
        let play = self.play.as_ref()?;
        assert_eq!(play.status == PlayStatus::Over, play.reason.is_some());
        Some((play.result, play.reason.clone()?))
    }

    pub fn pgn(&mut self) -> String {
        self.send(json!({ "type": "get_pgn" }));
        match self.received.as_slice() {
            [ServerMessage::Pgn { text }] => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    pub fn moves_text(&mut self) -> String {
        self.pgn().split_once("\n\n").unwrap().1.trim_end().replace('\n', " ")
    }
}

/// Lines for a position, in UCI notation with scores for the side to move.
pub fn lines(position: &Position, depth: i32, lines: &[(i32, &str)]) -> Lines {
    let line = |&(score, moves): &(i32, &str)| {
        let mut at = *position;
        let parse = |text| {
            let m: Move = at.parse_uci(text).unwrap();
            at = at.after(m);
            m
        };
        ScoredLine { score, moves: moves.split_whitespace().map(parse).collect() }
    };
    Lines {
        depth,
        seldepth: 20,
        nodes: 1000,
        elapsed: Duration::from_millis(10),
        lines: lines.iter().map(line).collect(),
    }
}
