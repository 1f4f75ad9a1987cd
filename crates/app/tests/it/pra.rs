//! `tabiya pra …` and `tabiya --pra` as people and scripts call them: what they print and draw, their
//! errors for invalid input, and that the player survives what kills engines.

use std::fs;
use std::path::Path;

use pra::{Config, Weights};
use safetensors::SafeTensors;
use serde_json::Value;
use test_support::{KillLoop, TempDir};

use crate::common::{self, fail, run, succeed, succeed_json};

pub const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// A small model that has learned nothing.
pub fn save_model(dir: &TempDir, name: &str, config: &Config) -> String {
    let mut weights = Weights::random(config, 7).unwrap();
    // Parameters initialized to zero get small values, so that all of them have an effect.
    for (n, value) in weights.values_mut().iter_mut().enumerate() {
        if *value == 0.0 {
            *value = ((n * 7919) % 101) as f32 / 500.0 - 0.1;
        }
    }
    weights.save(&dir.join(name), false).unwrap();
    dir.path(name)
}

pub fn ours(dir: &TempDir) -> String {
    save_model(dir, "ours", &Config::new(2, 24))
}

/// A data set with evaluations and ratings, half of the games for validation.
fn data_set(dir: &TempDir) -> String {
    let (input, out) = (dir.path("games.pgn"), dir.path("rows"));
    let mut games = String::new();
    for n in 0..40 {
        let result = ["1-0", "0-1", "1/2-1/2"][n % 3];
        games += &format!(
            "[Event \"{n}\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[Result \"{result}\"]\n\n",
            1500 + 20 * n,
            2100 - 10 * n
        );
        let line = [
            "e4 { [%eval 0.3] } e5 Nf3 Nc6 Bb5 a6 { [%eval #3] } Ba4 Nf6 O-O",
            "d4 { [%eval -0.4] } d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O",
            "c4 { [%eval 1.2] } c5 Nc3 Nc6 g3 g6 Bg2 Bg7 d3 d6",
        ][n % 3];
        games += &format!("{line} {result}\n\n");
    }
    fs::write(&input, games).unwrap();
    succeed(&["data", "prepare", &input, "--out", &out, "--with-eval", "--val-fraction", "0.5"]);
    out
}

fn failed(arguments: &[&str]) -> String {
    fail(arguments, 1)
}

#[test]
fn a_model_that_overflows_is_an_error_and_not_nan_percent() {
    let folder = TempDir::new();
    let (model, data) = (ours(&folder), data_set(&folder));
    let predict = ["pra", "predict", "--model", &model];
    let eval = ["pra", "eval", "--model", &model, "--data", &data];
    succeed(&predict);
    succeed(&eval);
    // Every weight is a finite number, but no output of one of the heads is.
    let good = Weights::load(Path::new(&model)).unwrap();
    for head in ["policy_head", "value_head"] {
        let mut weights = good.clone();
        for tensor in good.layout().tensors().iter().filter(|t| t.name.starts_with(head)) {
            weights.values_mut()[tensor.range.clone()].iter_mut().for_each(|x| *x *= 1e37);
        }
        weights.save(Path::new(&model), false).unwrap();
        for arguments in [&predict[..], &[&predict[..], &["--json"]].concat(), &eval] {
            let complaint = failed(arguments);
            assert!(complaint.contains("not finite numbers"), "{complaint}");
        }
    }
}

#[test]
fn the_reference_has_the_stated_number_of_parameters() {
    for (depth, n_embd, parameters) in [
        ("4", "144", 2_424_576),
        ("8", "192", 6_085_632),
        ("8", "288", 13_558_272),
        ("12", "288", 17_588_736),
    ] {
        let args = ["pra", "info", "--depth", depth, "--n-embd", n_embd, "--reference", "--json"];
        let info = succeed_json(&args);
        assert_eq!(info["parameters"], parameters);
        let sum: u64 = info["tensors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tensor| tensor["parameters"].as_u64().unwrap())
            .sum();
        assert_eq!(sum, parameters);
    }
    let folder = TempDir::new();
    let text = succeed(&["pra", "info", "--model", &ours(&folder)]);
    assert!(text.contains("blocks.1.attn.free_attn_logits") && text.contains("3×64×64"), "{text}");
}

#[test]
fn likely_moves_are_listed_and_drawn() {
    let folder = TempDir::new();
    for model in [ours(&folder), save_model(&folder, "reference", &Config::reference(2, 24))] {
        let svg = folder.path("moves.svg");
        let args = ["pra", "predict", "--model", &model, "--fen", KIWIPETE];
        let said = succeed_json(&[&args[..], &["--top", "48", "--json", "--svg", &svg]].concat());
        let moves = said["moves"].as_array().unwrap();
        assert_eq!((moves.len(), &said["legal_moves"]), (48, &48.into()));
        let sum: f64 = moves.iter().map(|m| m["probability"].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-4);
        assert!(moves.iter().any(|m| m["san"] == "O-O" && m["uci"] == "e1g1"));
        let (value, white) = (&said["value"], &said["white"]);
        assert_eq!(value, white, "White is to move");
        assert!(folder.read("moves.svg").starts_with("<svg "));
        let text = succeed(&[&args[..], &["--top", "3", "--temperature", "0.5"]].concat());
        assert!(text.contains("45 more") && text.contains("White to move wins"), "{text}");
        let sure = succeed_json(&[&args[..], &["--temperature", "0", "--json"]].concat());
        assert_eq!(sure["moves"][0]["probability"], 1.0);
        assert_eq!(sure["moves"][0]["san"], moves[0]["san"]);
    }
    // The same position from the other side is worth the same to the player to move.
    let model = ours(&folder);
    let value = |fen: &str| {
        let said = succeed_json(&["pra", "predict", "--model", &model, "--fen", fen, "--json"]);
        (said["value"]["expected"].as_f64().unwrap(), said["white"]["expected"].as_f64().unwrap())
    };
    let white = value("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    let black = value("4k3/4p3/8/8/8/8/8/4K3 b - - 0 1");
    assert!((white.0 - black.0).abs() < 1e-5 && (white.1 + black.1 - 1.0).abs() < 1e-5);
    let mated =
        succeed(&["pra", "predict", "--model", &model, "--fen", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"]);
    assert!(mated.contains("no legal move: Black is mated"), "{mated}");
}

#[test]
fn the_built_in_model_predicts_common_first_moves() {
    let said = succeed(&["pra", "predict", "--fen", "startpos", "--top", "4"]);
    for m in ["e4 ", "d4 ", "Nf3 ", "c4 "] {
        assert!(said.lines().any(|line| line.starts_with(m)), "{m}: {said}");
    }
}

#[test]
fn many_positions_give_tensors_or_a_line_each() {
    let folder = TempDir::new();
    let model = save_model(&folder, "reference", &Config::reference(2, 24));
    let (fens, raw) = (folder.path("fens.txt"), folder.path("raw.safetensors"));
    fs::write(&fens, format!("# two\n{KIWIPETE}\n\nstartpos moves e2e4\n")).unwrap();
    succeed(&["pra", "predict", "--model", &model, "--file", &fens, "--raw", &raw]);
    let bytes = fs::read(&raw).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(tensors.tensor("policy").unwrap().shape(), [2, 4096]);
    assert_eq!(tensors.tensor("value").unwrap().shape(), [2]);
    let masks = tensors.tensor("masks").unwrap();
    assert_eq!(masks.shape(), [9, 64, 64]);
    assert_eq!(masks.data()[..4096].iter().map(|&seen| u32::from(seen)).sum::<u32>(), 336);
    let lines = succeed(&["pra", "predict", "--model", &model, "--file", &fens]);
    assert_eq!(lines.lines().count(), 2);
    assert!(lines.contains(KIWIPETE));
    let lines = succeed(&["pra", "predict", "--model", &model, "--file", &fens, "--json"]);
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn a_model_is_measured_on_a_data_set() {
    let folder = TempDir::new();
    let (model, data) = (ours(&folder), data_set(&folder));
    let args = ["pra", "eval", "--model", &model, "--data", &data];
    let all = succeed_json(&[&args[..], &["--json", "--threads", "2"]].concat());
    let positions = all["positions"].as_u64().unwrap();
    assert!(positions > 50);
    let sum = |name: &str| -> u64 {
        let parts = all[name].as_array().unwrap().iter();
        parts.map(|part| part["positions"].as_u64().unwrap()).sum()
    };
    for name in ["pieces", "phases", "ratings"] {
        assert_eq!(sum(name), positions, "{name}");
    }
    let moves = &all["moves"];
    let share = |name: &str| moves[name].as_f64().unwrap();
    assert!(share("top1") <= share("top5") && share("all_top1") <= share("top1"));
    assert!(share("cross_entropy") > 0.0);
    let value = &all["value"];
    assert_eq!(value["result"]["positions"], positions);
    assert!(value["eval"]["centipawns"].as_f64().unwrap() > 0.0);
    assert!(!value["calibration"].as_array().unwrap().is_empty());
    // Fewer positions, fewer games: those of two games are about a tenth each.
    let few = succeed_json(&[&args[..], &["--max-positions", "17", "--json"]].concat());
    assert_eq!(few["positions"], 17);
    let games = succeed_json(&[&args[..], &["--max-games", "2", "--json"]].concat());
    assert_eq!(games["games"], 2);
    assert!((18..=20).contains(&games["positions"].as_u64().unwrap()));
    let text = succeed(&[&args[..], &["--split", "train"]].concat());
    assert!(
        text.contains("top-1") && text.contains("  knight") && text.contains("… in centipawns")
    );
}

#[test]
fn attention_is_drawn_and_free_heads_are_compared() {
    let folder = TempDir::new();
    let model = ours(&folder);
    let args = ["pra", "attention", "--model", &model, "--fen", KIWIPETE];
    let svg = folder.path("head.svg");
    let text =
        succeed(&[&args[..], &["--layer", "2", "--head", "knight1", "--svg", &svg]].concat());
    assert!(text.starts_with("layer 2, knight 1"));
    let head = folder.read("head.svg");
    assert!(head.contains("Layer 2, knight 1") && head.matches("<use ").count() == 32);
    let one = ["--layer", "1", "--head", "7", "--square", "e5", "--json"];
    let map = succeed_json(&[&args[..], &one].concat());
    assert_eq!((&map["head"], &map["from"]), (&"queen".into(), &"e5".into()));
    let all = map["weights"].as_object().unwrap();
    assert!((all.values().map(|weight| weight.as_f64().unwrap()).sum::<f64>() - 1.0).abs() < 1e-4);
    assert_eq!(all["d3"], 0.0, "no queen reaches d3 from e5");
    let html = folder.path("page.html");
    succeed(&[&args[..], &["--all", "--html", &html, "--svg", &svg]].concat());
    assert!(folder.read("head.svg").contains("layer 2, free 3"));
    assert!(folder.read("page.html").contains("Which piece a free head resembles"));
    let free = succeed_json(&["pra", "attention", "--model", &model, "--free", "--json"]);
    assert_eq!(free["heads"].as_array().unwrap().len(), 6);
    let data = data_set(&folder);
    let text = succeed(&["pra", "attention", "--model", &model, "--free", "--data", &data]);
    assert!(text.contains("layer 1, free 1") && text.contains("closest"), "{text}");
}

#[test]
fn a_model_goes_through_other_folders_and_files() {
    let folder = TempDir::new();
    let model = save_model(&folder, "reference", &Config::reference(2, 24));
    let (copy, small) = (folder.path("copy"), folder.path("small"));
    succeed(&["pra", "export", "--model", &model, "--out", &small, "--f16"]);
    let size = |name: &str| fs::metadata(Path::new(name).join("model.safetensors")).unwrap().len();
    assert!(size(&small) * 10 < size(&model) * 6);
    let tensors = format!("{model}/model.safetensors");
    let shape = ["--depth", "2", "--n-embd", "24", "--reference"];
    succeed(&[&["pra", "export", "--tensors", &tensors, "--out", &copy], &shape[..]].concat());
    for name in ["config.json", "model.safetensors"] {
        let content = |folder: &str| fs::read(Path::new(folder).join(name)).unwrap();
        assert_eq!(content(&copy), content(&model));
    }
    let said = |model: &str| succeed_json(&["pra", "predict", "--model", model, "--json"]);
    let (exact, rounded) = (said(&model), said(&small));
    let expected = |said: &Value| said["value"]["expected"].as_f64().unwrap();
    assert!((expected(&exact) - expected(&rounded)).abs() < 0.01);
}

#[test]
fn a_training_makes_a_model_and_resumes() {
    let folder = TempDir::new();
    let (data, out) = (data_set(&folder), folder.path("run"));
    let shape = ["--depth", "1", "--n-embd", "12", "--num-iterations", "6"];
    let sizes = ["--total-batch-size", "32", "--device-batch-size", "16", "--eval-every", "3"];
    let args = [&["pra", "train", "--data", &data, "--threads", "2"], &shape[..], &sizes].concat();
    let trained =
        succeed_json(&[&args[..], &["--out", &out, "--save-every", "2", "--json"]].concat());
    assert_eq!((&trained["steps"], &trained["stopped"]), (&6.into(), &false.into()));
    assert_eq!(trained["rows"]["used"], 6 * 32);
    let log = folder.read("run/log.jsonl");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let steps = lines.iter().filter(|line| line["policy_loss"].is_f64());
    assert_eq!(steps.count(), 6);
    assert!(lines.iter().all(|line| line["step"].is_u64()));
    let model = trained["model"].as_str().unwrap();
    succeed(&["pra", "predict", "--model", model]);
    let again = succeed(&[&args[..], &["--out", &out, "--save-every", "2"]].concat());
    assert!(again.contains("is complete already"), "{again}");
    // Learning on from a model, in order, with the other optimizer.
    let other = folder.path("other");
    let more = ["--from", model, "--optimizer", "adamw", "--learning-rate", "0.01", "--in-order"];
    let short = ["pra", "train", "--data", &data, "--num-iterations", "2", "--out", &other];
    let trained = succeed_json(&[&short[..], &sizes[..4], &more, &["--json"]].concat());
    assert_eq!(trained["steps"], 2);
    let reference = folder.path("reference");
    let last = [&args[..], &["--reference", "--out", &reference]].concat();
    succeed(&last);
    assert!(folder.read("reference/model/config.json").contains("\"turned\": false"));
    let without = folder.path("without");
    succeed(&[&args[..], &["--without", "promotions", "--out", &without]].concat());
    assert!(folder.read("without/model/config.json").contains("\"promotions\": false"));
    // Without a folder, one is named after the layers, or after a tag.
    for (tag, name) in [(&[][..], "pra_d1"), (&["--model-tag", "first"], "first")] {
        let mut command = common::tabiya(&[&args[..], tag].concat());
        let output = command.current_dir(folder.root()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        succeed(&["pra", "info", "--model", &folder.path(&format!("checkpoints/{name}/model"))]);
    }
    // What cannot be trained is reported.
    failed(&["pra", "train", "--data", "/nonexistent", "--out", &other]);
    failed(&[&args[..], &["--out", &other]].concat());
    failed(&[&args[..], &["--out", &folder.path("new"), "--resume"]].concat());
    failed(&["pra", "train", "--data", &data, "--out", &folder.path("x"), "--depth", "0"]);
    failed(&["pra", "train", "--data", &data, "--out", &folder.path("x"), "--from", &data]);
    let rate = ["--out", &folder.path("x"), "--learning-rate", "NaN"];
    failed(&[&args[..], &rate].concat());
}

#[test]
fn ratings_that_a_model_does_not_read_are_reported() {
    let folder = TempDir::new();
    let config = Config { ratings: false, ..Config::new(1, 12) };
    let model = save_model(&folder, "unrated", &config);
    let output = run(&["pra", "predict", "--model", &model, "--rating", "1500"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        common::text(&output.stderr).contains("reads no ratings"),
        "{}",
        common::text(&output.stderr)
    );
}

#[test]
fn a_device_that_is_not_there_is_reported_in_one_line() {
    let folder = TempDir::new();
    let (data, out) = (data_set(&folder), folder.path("out"));
    let shape = ["--depth", "1", "--n-embd", "12", "--num-iterations", "1"];
    let args = [&["pra", "train", "--data", &data, "--out", &out], &shape[..]].concat();
    let on = |device: &str| failed(&[&args[..], &["--device", device]].concat());
    let names = "cpu, gpu, gpu:N, integrated:N, software or flex";
    assert_eq!(on("nonsense"), format!("tabiya: unknown device 'nonsense': expected {names}\n"));
    if !cfg!(feature = "gpu") {
        for device in ["gpu", "gpu:1", "integrated:0", "software", "flex"] {
            let line = on(device);
            assert!(
                line.contains(&format!("does not support device '{device}', only 'cpu'")),
                "{line}"
            );
            assert!(line.contains("'cargo build --release --features gpu'"), "{line}");
        }
    }
    assert!(!Path::new(&out).exists(), "nothing is written");
}

/// The losses of a log, digit by digit: everything but speeds.
fn losses(log: &str) -> Vec<(String, String)> {
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let name = |line: &Value| {
        if line["policy_loss"].is_f64() { "loss" } else { "validation_loss" }.to_owned()
    };
    lines.map(|line| (line["step"].to_string(), line[name(&line)].to_string())).collect()
}

#[test]
fn killed_at_ten_random_moments_a_training_resumes_with_the_same_losses() {
    let folder = TempDir::new();
    let (data, whole, out) = (data_set(&folder), folder.path("whole"), folder.path("out"));
    let shape = ["--depth", "2", "--n-embd", "24", "--num-iterations", "40", "--save-every", "5"];
    let sizes = ["--total-batch-size", "16", "--device-batch-size", "8", "--eval-every", "10"];
    let args = [&["pra", "train", "--data", &data, "--threads", "2"], &shape[..], &sizes].concat();
    let job = |out: &str| {
        let mut command = common::tabiya(&args);
        command.args(["--out", out]);
        command
    };
    let kills = KillLoop::new(&mut job(&whole), 7);
    let (expected, model) = (losses(&folder.read("whole/log.jsonl")), "model/model.safetensors");
    assert_eq!(expected.len(), 44);
    let tensors = fs::read(folder.join("whole").join(model)).unwrap();
    let is_resumed = || {
        let checkpoints = fs::read_dir(folder.join("out/checkpoints"));
        if folder.join("out/model/config.json").exists() {
            assert_eq!(losses(&folder.read("out/log.jsonl")), expected);
            fs::remove_dir_all(&out).unwrap();
        }
        checkpoints.is_ok_and(|mut folders| folders.next().is_some())
    };
    kills.run(10, || job(&out), is_resumed);
    assert!(job(&out).status().unwrap().success());
    assert_eq!(losses(&folder.read("out/log.jsonl")), expected);
    assert!(fs::read(folder.join("out").join(model)).unwrap() == tensors);
}

#[test]
fn speed_and_memory_are_measured() {
    let folder = TempDir::new();
    let data = data_set(&folder);
    let shape = ["--depth", "1", "--n-embd", "12", "--seconds", "0.05", "--threads", "2"];
    let args = [&["pra", "bench", "--json"], &shape[..]].concat();
    let all = succeed_json(&args);
    for name in ["train", "infer_1", "infer_64", "infer_256", "peak_memory_mb"] {
        assert!(all[name].as_f64().unwrap() > 0.0, "{name}: {all}");
    }
    for more in [&["--loader"][..], &["--loader", "--data", &data]] {
        let loaded = succeed_json(&[&args[..], more].concat());
        assert!(loaded["loader"].as_f64().unwrap() > 0.0 && loaded["train"].is_null());
    }
    let some = succeed_json(&[&args[..], &["--only", "infer-64", "--reference"]].concat());
    assert!(some["infer_64"].is_f64() && some["train"].is_null());
    let text = succeed(&[&["pra", "bench"], &shape[..], &["--optimizer", "muon"]].concat());
    assert!(text.contains("training, batches of 64, muon") && text.contains("peak memory"));
    failed(&["pra", "bench", "--depth", "0"]);
    failed(&[&args[..], &["--loader", "--data", "/nonexistent"]].concat());
}

#[test]
fn what_is_no_model_is_reported_in_one_line() {
    let folder = TempDir::new();
    let ours = ours(&folder);
    let spoilt = |name: &str, spoil: &dyn Fn(&Path)| {
        let path = folder.join(name);
        fs::create_dir_all(&path).unwrap();
        for file in ["config.json", "model.safetensors"] {
            fs::copy(Path::new(&ours).join(file), path.join(file)).unwrap();
        }
        spoil(&path);
        failed(&["pra", "predict", "--model", path.to_str().unwrap()])
    };
    let line = failed(&["pra", "predict", "--model", "/nonexistent"]);
    assert!(line.contains("/nonexistent is not a model"), "{line}");
    let line =
        spoilt("no-tensors", &|path| fs::remove_file(path.join("model.safetensors")).unwrap());
    assert!(line.contains("model.safetensors is missing"), "{line}");
    let line = spoilt("no-json", &|path| fs::write(path.join("config.json"), "{").unwrap());
    assert!(line.contains("config.json"), "{line}");
    let width = r#"{"depth":2,"n_embd":25}"#;
    let line = spoilt("width", &|path| fs::write(path.join("config.json"), width).unwrap());
    assert!(line.contains("n_embd must be a multiple of 12"), "{line}");
    let other = r#"{"depth":2,"n_embd":36}"#;
    let line = spoilt("shape", &|path| fs::write(path.join("config.json"), other).unwrap());
    assert!(line.contains("expected [13, 36]"), "{line}");
    let line = spoilt("truncated", &|path| {
        let path = path.join("model.safetensors");
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    });
    assert!(line.contains("not a safetensors file, or damaged"), "{line}");
    let line = spoilt("nan", &|path| {
        let mut weights = Weights::load(path).unwrap();
        weights.values_mut()[1000] = f32::NAN;
        weights.save(path, false).unwrap();
    });
    assert!(line.contains("is NaN"), "{line}");
    for command in ["info", "attention", "eval", "export", "uci"] {
        let more = match command {
            "attention" => vec!["--free"],
            "eval" => vec!["--data", "/nonexistent"],
            "export" => vec!["--out", "/nonexistent"],
            _ => vec![],
        };
        failed(&[&["pra", command, "--model", "/nonexistent"], &more[..]].concat());
    }
    failed(&["--pra", "/nonexistent"]);
}

#[test]
fn wrong_positions_heads_and_data_are_reported_in_one_line() {
    let folder = TempDir::new();
    let model = ours(&folder);
    let on = |command: &str, more: &[&str]| {
        failed(&[&["pra", command, "--model", &model], more].concat())
    };
    on("predict", &["--fen", "nonsense"]);
    on("predict", &["--fen", "startpos moves e2e5"]);
    on("predict", &["--file", "/nonexistent"]);
    let empty = folder.path("empty.txt");
    fs::write(&empty, "\n# nothing\n").unwrap();
    assert!(on("predict", &["--file", &empty]).contains("has no positions"));
    let bad = folder.path("bad.txt");
    fs::write(&bad, "startpos\n8/8/8/8 w - - 0 1\n").unwrap();
    assert!(on("predict", &["--file", &bad, "--raw", &folder.path("x")]).contains("line 2"));
    on("predict", &["--svg", "/nonexistent/x.svg"]);
    let head = |layer, head| on("attention", &["--layer", layer, "--head", head]);
    assert!(head("3", "1").contains("there is no layer 3: the model has 1 to 2"));
    assert!(head("0", "1").contains("there is no layer 0"));
    assert!(head("1", "13").contains("there is no head '13'"));
    assert!(head("1", "duke").contains("there is no head 'duke'"));
    assert!(on("attention", &[]).contains("nothing to show"));
    assert!(on("attention", &["--all"]).contains("--svg FILE or --html FILE"));
    on("attention", &["--layer", "1", "--head", "1", "--fen", "x"]);
    on("eval", &["--data", "/nonexistent"]);
    // A data set of no games.
    let (games, rows) = (folder.path("none.pgn"), folder.path("no-rows"));
    fs::write(&games, "").unwrap();
    succeed(&["data", "prepare", &games, "--out", &rows]);
    let line = on("eval", &["--data", &rows]);
    assert!(line.contains("there are no positions with moves in its validation split"), "{line}");
    failed(&["pra", "info", "--depth", "0"]);
    failed(&["pra", "info", "--n-embd", "100"]);
    for wrong in [
        &["pra", "predict", "--temperature", "-1"][..],
        &["pra", "predict", "--raw", "x"],
        &["pra", "eval", "--step", "5"],
        &["pra", "attention", "--square", "z9", "--layer", "1", "--head", "1"],
        &["--pra", "x", "perft"],
    ] {
        assert_eq!(run(wrong).status.code(), Some(2), "{wrong:?}");
    }
}
