-- How full the model's window was at the newest turn of a chat, in tokens. Nobody stored it for the answers before.
ALTER TABLE chats ADD COLUMN window_used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN window INTEGER NOT NULL DEFAULT 0;
