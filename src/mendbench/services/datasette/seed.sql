-- The database `germbank`: what a small seed bank keeps, where, and how well it still grows.
CREATE TABLE vaults (
  vault_code TEXT PRIMARY KEY,
  hall TEXT NOT NULL,
  setpoint_c REAL NOT NULL,
  steward_email TEXT
);
CREATE TABLE accessions (
  acc_no INTEGER PRIMARY KEY,
  taxon TEXT NOT NULL,
  vernacular TEXT,
  vault_code TEXT NOT NULL REFERENCES vaults(vault_code),
  packets INTEGER NOT NULL,
  banked_on TEXT NOT NULL,
  provenance TEXT
);
CREATE TABLE germination_trials (
  trial_id INTEGER PRIMARY KEY,
  acc_no INTEGER NOT NULL REFERENCES accessions(acc_no),
  sown INTEGER NOT NULL,
  sprouted INTEGER NOT NULL,
  read_on TEXT NOT NULL,
  remark TEXT
);
INSERT INTO vaults VALUES
  ('KV-1', 'Old ice house', -18.0, 'petra.oyelaran@germbank.example'),
  ('KV-2', 'Old ice house', -20.5, 'petra.oyelaran@germbank.example'),
  ('NB-3', 'North bunker', -18.0, 'yusuf.lindqvist@germbank.example'),
  ('NB-4', 'North bunker', -12.0, NULL),
  ('CR-5', 'Cryo room', -196.0, 'hanneke.bao@germbank.example'),
  ('CR-6', 'Cryo room', -150.0, 'hanneke.bao@germbank.example'),
  ('DR-7', 'Drying loft', 15.0, 'yusuf.lindqvist@germbank.example'),
  ('DR-8', 'Drying loft', 17.5, NULL),
  ('QT-9', 'Quarantine shed', 5.0, 'petra.oyelaran@germbank.example'),
  ('ZZ-0', 'Not yet built', 0.0, NULL);
INSERT INTO accessions VALUES
  (4101, 'Agrostemma githago', 'corncockle', 'KV-1', 42, '2019-08-14', 'Ringgau'),
  (4102, 'Adonis flammea', 'large pheasant''s eye', 'KV-1', 7, '2019-08-30', 'Steigerwald'),
  (4117, 'Triticum monococcum', 'einkorn', 'KV-2', 130, '2020-07-22', 'Swabian Jura'),
  (4118, 'Triticum dicoccum', 'emmer', 'KV-2', 96, '2020-07-25', 'Garfagnana'),
  (4130, 'Secale multicaule', 'forest rye', 'NB-3', 58, '2021-08-03', 'Harz'),
  (4131, 'Bromus grossus', 'whiskered brome', 'NB-3', 11, '2021-08-09', 'Ardennes'),
  (4144, 'Vicia articulata', 'one-flowered vetch', 'NB-4', 23, '2022-06-28', 'Extremadura'),
  (4145, 'Camelina sativa', 'gold of pleasure', 'NB-4', 75, '2022-07-19', 'Öland'),
  (4160, 'Orchis militaris', 'military orchid', 'CR-5', 4, '2023-09-01', 'Kaiserstuhl'),
  (4161, 'Cypripedium calceolus', 'lady''s slipper', 'CR-5', 2, '2023-09-12', NULL),
  (4175, 'Lolium temulentum', 'darnel', 'DR-7', 31, '2024-08-08', 'Alentejo'),
  (4176, 'Bupleurum rotundifolium', 'thorow-wax', 'QT-9', 16, '2024-08-20', 'Thuringian Basin');
INSERT INTO germination_trials VALUES
  (901, 4101, 100, 88, '2024-04-02', NULL),
  (902, 4101, 100, 81, '2025-04-03', 'slow start'),
  (903, 4102, 50, 9, '2024-04-02', 'below threshold'),
  (904, 4117, 200, 191, '2024-04-05', NULL),
  (905, 4118, 200, 187, '2024-04-05', NULL),
  (906, 4118, 200, 171, '2025-04-07', NULL),
  (907, 4130, 100, 64, '2024-04-11', NULL),
  (908, 4131, 40, 13, '2024-04-11', 'below threshold'),
  (909, 4144, 60, 57, '2024-04-15', NULL),
  (910, 4145, 100, 93, '2024-04-15', NULL),
  (911, 4145, 100, 90, '2025-04-16', NULL),
  (912, 4160, 30, 2, '2024-05-20', 'needs its fungus'),
  (913, 4175, 80, 66, '2025-04-22', NULL),
  (914, 4176, 40, 29, '2025-04-22', 'under observation');
