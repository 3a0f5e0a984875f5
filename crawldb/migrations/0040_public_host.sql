-- Which names of seeds have led to the open internet? A later answer with a private address is an attack (DNS rebinding).

ALTER TABLE host ADD COLUMN public INTEGER NOT NULL DEFAULT 0;
