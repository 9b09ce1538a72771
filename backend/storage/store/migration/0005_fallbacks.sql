-- The models that take a goal's turns while its own is away, if the user chose others than at its start: a JSON list.
ALTER TABLE goals ADD COLUMN fallbacks TEXT NOT NULL DEFAULT '';
