-- Approvals that were asked together, since one reply of the model wants their calls.

ALTER TABLE approvals ADD COLUMN batch TEXT;
