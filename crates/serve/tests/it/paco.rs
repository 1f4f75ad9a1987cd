//! The Paco Ŝako session, without a socket.

use proptest::prelude::*;
use serde_json::{Value, json};
use tabiya_serve::job::{Job, JobId, Output, Update, Work};
use tabiya_serve::paco::{PacoSession, levels};
use tabiya_serve::protocol::{ClientMessage, SavedPaco, ServerMessage};

/// A session whose jobs are run at once.
struct Page {
    session: PacoSession,
    /// The last `paco` message.
    paco: Value,
    notices: Vec<String>,
    hints: Vec<Value>,
    waiting: Vec<Job>,
}

impl Page {
    fn new() -> Self {
        Self {
            session: PacoSession::new(7),
            paco: Value::Null,
            notices: Vec::new(),
            hints: Vec::new(),
            waiting: Vec::new(),
        }
    }

    fn send(&mut self, message: Value) {
        let message: ClientMessage = serde_json::from_value(message).expect("a message");
        let mut out = Vec::new();
        self.session.message(message, &mut out);
        self.take(out);
    }

    fn take(&mut self, out: Vec<Output>) {
        for output in out {
            match output {
                Output::Send(message) => {
                    let value = serde_json::to_value(&message).expect("JSON");
                    match message {
                        ServerMessage::Paco(_) => self.paco = value,
                        ServerMessage::PacoHint(_) => self.hints.push(value),
                        ServerMessage::Notice { text, .. } => self.notices.push(text),
                        other => panic!("{other:?}"),
                    }
                }
                Output::Start(job) => self.waiting.push(job),
                Output::Stop(id) => self.waiting.retain(|job| job.id != id),
                Output::SetTimer(_) => panic!("no timer is needed"),
            }
        }
    }

    /// Runs one job; returns whether there was one.
    fn work(&mut self) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        let Job { id, work } = self.waiting.remove(0);
        let update = match work {
            Work::PacoTurn(task) => {
                let mut rng = paco::Rng::from_seed(task.seed);
                Update::PacoTurn(paco::random_turn(&task.position, &mut rng))
            }
            Work::PacoIn { position, turns } => {
                Update::PacoIn { turns, answer: position.paco_in(turns.into(), 50) }
            }
            other => panic!("{other:?}"),
        };
        self.update(id, update);
        true
    }

    fn update(&mut self, id: JobId, update: Update) {
        let mut out = Vec::new();
        self.session.update(id, update, &mut out);
        self.take(out);
    }

    fn two_people(fen: Option<&str>) -> Self {
        let mut page = Self::new();
        page.send(json!({ "type": "paco_new", "fen": fen, "white": person(), "black": person() }));
        page
    }

    fn act(&mut self, actions: &[Value]) {
        for action in actions {
            self.send(json!({ "type": "paco_act", "action": action }));
        }
    }

    fn turns(&self) -> Vec<&str> {
        let turns = self.paco["turns"].as_array().expect("turns");
        turns.iter().filter_map(|turn| turn["notation"].as_str()).collect()
    }
}

fn person() -> Value {
    json!({ "kind": "person" })
}

fn machine(level: usize) -> Value {
    json!({ "kind": "player", "level": level })
}

#[test]
fn two_people_play_with_unions_undo_and_takeback() {
    let mut page = Page::two_people(None);
    page.act(&[json!({ "lift": "e2" })]);
    assert_eq!(page.paco["hand"], json!({ "square": "e2", "piece": "p", "partner": null }));
    assert_eq!(page.paco["unfinished"], true);
    assert_eq!(page.paco["legal"], json!([{ "place": "e3" }, { "place": "e4" }]));
    page.send(json!({ "type": "paco_undo", "all": false }));
    assert_eq!(page.paco["unfinished"], false);
    page.act(&[json!({ "lift": "e2" }), json!({ "place": "e4" })]);
    page.act(&[json!({ "lift": "d7" }), json!({ "place": "d5" })]);
    page.act(&[json!({ "lift": "e4" }), json!({ "place": "d5" })]);
    assert_eq!(page.turns(), ["e2>e4", "d7>d5", "e4xd5"]);
    assert_eq!(page.paco["last"], json!(["e4", "d5"]));
    let union = json!({ "square": "d5", "white": "p", "black": "p" });
    assert!(page.paco["board"].as_array().unwrap().contains(&union));
    assert!(page.paco["spoken"].as_str().unwrap().contains("unites with black pawn on d5"));
    page.send(json!({ "type": "paco_takeback" }));
    assert_eq!(page.turns(), ["e2>e4", "d7>d5"]);
    assert!(page.notices.is_empty(), "{:?}", page.notices);
    page.act(&[json!({ "lift": "a1" }), json!({ "place": "a2" }), json!({ "promote": "q" })]);
    assert_eq!(page.notices.len(), 3, "{:?}", page.notices);
}

#[test]
fn earlier_positions_are_shown_by_turns_and_by_actions() {
    let mut page = Page::two_people(None);
    page.send(json!({ "type": "paco_load", "text": "1. d2>d4 e7>e5 2. d4xe5 Bf8>b4",
        "white": person(), "black": person() }));
    let shown = |page: &mut Page, turns: u32, actions: u32| {
        page.send(json!({ "type": "paco_go_to", "turns": turns, "actions": actions }));
        (page.paco["shown"].clone(), page.paco["live"].as_bool().unwrap())
    };
    let at = |turns: u32, actions: u32| json!({ "turns": turns, "actions": actions });
    assert_eq!(shown(&mut page, 0, 0), (at(0, 0), false));
    assert_eq!(page.paco["legal"], json!([]));
    assert_eq!(shown(&mut page, 1, 1), (at(1, 1), false));
    assert_eq!(page.paco["hand"]["square"], "e7");
    assert_eq!(shown(&mut page, 1, 2), (at(2, 0), false));
    assert_eq!(shown(&mut page, 3, 99), (at(4, 0), true));
    assert_eq!(shown(&mut page, 99, 99), (at(4, 0), true));
    assert_eq!(shown(&mut page, 2, 1), (at(2, 1), false));
    page.act(&[json!({ "lift": "a2" })]);
    assert_eq!(page.notices.len(), 1, "an old position is not played in");
    page.send(json!({ "type": "paco_play_from" }));
    assert_eq!(page.paco["turns"].as_array().unwrap().len(), 3);
    assert_eq!((&page.paco["live"], &page.paco["unfinished"]), (&json!(true), &json!(true)));
    page.act(&[json!({ "place": "d5" })]);
    assert_eq!(page.turns(), ["d2>d4", "e7>e5", "d4>d5"]);
}

#[test]
fn a_chain_at_a_dead_end_is_reported_and_undone() {
    // The knight of the union on a8 has nowhere to go once it is released.
    let fen = "o3k3/2P5/1P6/8/8/8/8/R3K3 w 0 - - -";
    let mut page = Page::two_people(Some(fen));
    assert!(page.notices.is_empty(), "{:?}", page.notices);
    page.act(&[json!({ "lift": "a1" }), json!({ "place": "a8" })]);
    assert_eq!(page.paco["required"], "place", "{}", page.paco);
    assert_eq!((&page.paco["stuck"], &page.paco["legal"]), (&json!(true), &json!([])));
    page.send(json!({ "type": "paco_undo", "all": true }));
    assert_eq!((&page.paco["stuck"], &page.paco["unfinished"]), (&json!(false), &json!(false)));
    assert!(page.paco["fen"].as_str().unwrap().starts_with("o3k3/2P5/1P6/8/8/8/8/R3K3 w"));
}

#[test]
fn a_promotion_is_required_and_a_paco_ends_the_game() {
    let mut page = Page::two_people(Some("4k3/P7/8/8/8/8/8/4K3 w 0 - - -"));
    page.act(&[json!({ "lift": "a7" }), json!({ "place": "a8" })]);
    assert_eq!(
        (&page.paco["required"], &page.paco["promotion"]),
        (&json!("promote"), &json!("a8"))
    );
    page.act(&[json!({ "promote": "q" })]);
    assert_eq!(page.turns(), ["a7>a8=Q"]);
    page.send(json!({ "type": "paco_threats", "on": true }));
    assert_eq!(page.paco["sako"], json!({ "white": true, "black": false }));
    page.act(&[json!({ "lift": "e8" }), json!({ "place": "e7" })]);
    page.act(&[json!({ "lift": "a8" }), json!({ "place": "e8" })]);
    page.act(&[json!({ "lift": "e7" }), json!({ "place": "d6" })]);
    page.act(&[json!({ "lift": "e8" }), json!({ "place": "e6" })]);
    assert!(page.paco["ending"].is_null());
    page.act(&[json!({ "lift": "d6" }), json!({ "place": "d5" })]);
    page.act(&[json!({ "lift": "e6" }), json!({ "place": "d5" })]);
    assert_eq!(page.paco["ending"]["result"], "1-0", "{}", page.paco);
    assert!(page.paco["spoken"].as_str().unwrap().contains("Paco"));
    page.act(&[json!({ "lift": "e1" })]);
    assert_eq!(page.notices.last().unwrap(), "The game is over.");
    page.send(json!({ "type": "paco_takeback" }));
    assert!(page.paco["ending"].is_null());
}

#[test]
fn the_machine_answers_and_is_stopped_by_what_a_person_does() {
    let mut page = Page::new();
    page.send(json!({ "type": "paco_new", "white": machine(0), "black": person() }));
    assert_eq!(page.paco["thinking"], true);
    page.act(&[json!({ "lift": "e2" })]);
    assert_eq!(page.notices, ["It is not your turn."]);
    assert!(page.work());
    assert_eq!((&page.paco["thinking"], page.turns().len()), (&json!(false), 1));
    page.act(&[json!({ "lift": "e7" }), json!({ "place": "e5" })]);
    assert_eq!(page.paco["thinking"], true);
    // Back to the person's last turn; the answer of the stopped job is not played.
    let late = page.waiting[0].id;
    page.send(json!({ "type": "paco_takeback" }));
    assert!(page.waiting.is_empty() && page.turns().len() == 1);
    page.update(late, Update::PacoTurn(Some(Vec::new())));
    page.send(json!({ "type": "paco_resign" }));
    assert_eq!(page.paco["ending"]["result"], "1-0");
    page.send(json!({ "type": "paco_new", "white": person(), "black": machine(levels().len()) }));
    assert_eq!(page.notices.last().unwrap(), "There is no such level.");
}

#[test]
fn a_hint_is_a_turn_or_reports_that_there_is_none() {
    let mut page = Page::two_people(Some("7k/R7/1R6/8/8/8/8/K7 w 0 - - -"));
    page.send(json!({ "type": "paco_hint", "paco_in": 1 }));
    page.work();
    assert_eq!(page.hints[0]["paco_in"], Value::Null);
    page.send(json!({ "type": "paco_hint", "paco_in": 4 }));
    assert_eq!(page.notices.len(), 1);
    page.send(json!({ "type": "paco_hint", "paco_in": 2 }));
    page.send(json!({ "type": "paco_hint", "paco_in": 1 }));
    assert_eq!(page.waiting.len(), 1, "only the last hint is computed");
}

#[test]
fn two_machines_play_to_the_end() {
    let mut page = Page::new();
    page.send(json!({ "type": "paco_new", "white": machine(0), "black": machine(1) }));
    let mut turns = 0;
    while page.work() {
        turns += 1;
        assert!(turns < 5_000, "no end");
    }
    assert!(!page.paco["ending"].is_null());
    page.send(json!({ "type": "paco_resign" }));
    assert_eq!(page.notices.len(), 1);
}

#[test]
fn the_saved_state_of_the_page_restores_the_game() {
    let mut page = Page::two_people(None);
    page.send(json!({ "type": "paco_load", "text": "d2>d4 e7>e5 d4 ",
        "white": person(), "black": machine(2) }));
    let mut again = Page::new();
    let mut out = Vec::new();
    again.session.restore(&saved(&page.paco), &mut out);
    again.take(out);
    assert_eq!(again.paco, page.paco);
    let broken = SavedPaco { actions: vec!["z9".to_owned()], ..saved(&page.paco) };
    let mut out = Vec::new();
    again.session.restore(&broken, &mut out);
    again.take(out);
    assert_eq!(again.notices.len(), 1);
}

/// The state that the page saves of a message.
fn saved(paco: &Value) -> SavedPaco {
    let turns = paco["turns"].as_array().expect("turns");
    let actions: Vec<Value> = turns
        .iter()
        .flat_map(|turn| turn["actions"].as_array().expect("actions").clone())
        .collect();
    serde_json::from_value(json!({ "start": paco["start"], "actions": actions,
        "white": paco["white"], "black": paco["black"] }))
    .expect("saved")
}

/// Any message about Paco Ŝako, mostly sensible ones.
fn any_message() -> impl Strategy<Value = Value> {
    let square = (0..8u8, 0..8u8)
        .prop_map(|(file, rank)| format!("{}{}", char::from(b'a' + file), rank + 1));
    let player = prop_oneof![Just(person()), (0..8usize).prop_map(machine)];
    prop_oneof![
        1 => (player.clone(), player, 0..4usize).prop_map(|(white, black, n)| {
            let fen = [None, Some("4k3/P7/8/8/3a4/8/8/R3K2R w 0 AH - -"), Some("8/8 w"), Some("")][n];
            json!({ "type": "paco_new", "fen": fen, "white": white, "black": black })
        }),
        1 => "[a-h1-8>x=Q .]{0,30}".prop_map(|text| {
            json!({ "type": "paco_load", "text": text, "white": person(), "black": person() })
        }),
        12 => square.clone().prop_map(|square| json!({ "type": "paco_act", "action": { "lift": square } })),
        12 => square.prop_map(|square| json!({ "type": "paco_act", "action": { "place": square } })),
        2 => Just(json!({ "type": "paco_act", "action": { "promote": "n" } })),
        2 => any::<bool>().prop_map(|all| json!({ "type": "paco_undo", "all": all })),
        1 => Just(json!({ "type": "paco_takeback" })),
        1 => Just(json!({ "type": "paco_resign" })),
        3 => (0..12usize, 0..4usize).prop_map(|(turns, actions)| {
            json!({ "type": "paco_go_to", "turns": turns, "actions": actions })
        }),
        2 => Just(json!({ "type": "paco_play_from" })),
        1 => (0..5u8).prop_map(|n| json!({ "type": "paco_hint", "paco_in": n })),
        1 => any::<bool>().prop_map(|on| json!({ "type": "paco_threats", "on": on })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// A legal action is drawn from the last message as often as a random one.
    #[test]
    fn after_any_messages_the_game_can_be_saved_and_restored(
        steps in prop::collection::vec((any_message(), any::<u16>(), any::<bool>()), 1..80)
    ) {
        let mut page = Page::two_people(None);
        for (message, choice, plays) in steps {
            let legal = page.paco["legal"].as_array().cloned().unwrap_or_default();
            match legal.get(usize::from(choice) % legal.len().max(1)) {
                Some(action) if plays => page.act(std::slice::from_ref(action)),
                _ => page.send(message),
            }
            if choice % 3 == 0 {
                page.work();
            }
            let paco = &page.paco;
            let thinking = paco["thinking"].as_bool().unwrap();
            let is_over = !paco["ending"].is_null();
            prop_assert!(!(thinking && is_over), "{}", paco);
            let legal = paco["legal"].as_array().unwrap();
            prop_assert!(legal.is_empty() || paco["live"] == true && !is_over, "{}", paco);
            let mut out = Vec::new();
            let mut again = Page::new();
            again.session.restore(&saved(paco), &mut out);
            again.take(out);
            prop_assert!(again.notices.is_empty(), "{:?} {}", again.notices, paco);
            if paco["live"] == true && !is_over {
                prop_assert_eq!(&again.paco["fen"], &paco["fen"]);
            }
        }
    }
}
