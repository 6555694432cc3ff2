"""tongs_chat: messages between agents and decisions about them."""
