//! The server and the sessions of its tabs, with and without a socket.

mod client;
mod paco;
mod paco_rules;
mod protocol;
mod requests;
mod session;
mod sockets;
