//! A UCI session and its output.

use std::sync::{Arc, Mutex};

use tabiya_engine::uci::{Limit, Session};

pub struct Talk {
    session: Session,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Talk {
    pub fn new() -> Self {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = lines.clone();
        let output = Arc::new(move |line: &str| sink.lock().unwrap().push(line.to_owned()));
        let session = Session::new("Engine", "authors", Limit::default(), output).expect("memory");
        Self { session, lines }
    }

    /// The output of a command.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.session.line(line);
        self.session.wait();
        std::mem::take(&mut self.lines.lock().unwrap())
    }
}
