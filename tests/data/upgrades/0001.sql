INSERT INTO "tenant" ("id","slug","name","whatsapp","timezone","address","about","holidays_country","holidays_state","holidays_city","holidays_closed","holidays_optional","holidays_open","twilio_account_sid","twilio_auth_token_env","template_reminder","template_waitlist_offer","template_contact","buttons","slot_step_minutes","min_notice_minutes","horizon_days","cancel_notice_minutes","max_open_appointments","reminders_hours","handoff_hours","handoff_realert_minutes","handoff_second_text_minutes","handoff_release_minutes","handoff_reopen_minutes","inbound_seen_at","created_at") VALUES
(1,'studio-bela','Studio Bela','+551130001000','America/Sao_Paulo','Rua Augusta, 1000 - Consolação, São Paulo','Salão de beleza no centro de São Paulo.
Estacionamento conveniado no número 1010, uma hora grátis.
Aceitamos Pix, cartão e dinheiro. Crianças são bem-vindas.','BR','SP',NULL,true,'[]','[]',NULL,NULL,NULL,NULL,NULL,false,30,60,60,120,3,'[24, 2]','{"0": [[540, 1080]], "1": [[540, 1080]], "2": [[540, 1080]], "3": [[540, 1080]], "4": [[540, 1080]], "5": [[540, 780]]}',5,15,15,120,'2026-12-07 12:15:25.020805','2026-12-07 12:15:16.784219'),
(2,'barbearia-rio-negro','Barbearia Rio Negro','+559230001000','America/Manaus','Avenida Eduardo Ribeiro, 520 - Centro, Manaus','Barbearia tradicional perto do Teatro Amazonas.
Atendimento com hora marcada; o combo corte e barba leva 45 minutos.','BR','AM',NULL,false,'[]','[]',NULL,NULL,NULL,NULL,NULL,false,15,30,30,60,2,'[3]','{"1": [[600, 1260]], "2": [[600, 1260]], "3": [[600, 1260]], "4": [[600, 1260]], "5": [[600, 1260]]}',5,15,15,120,'2026-12-07 12:15:25.020805','2026-12-07 12:15:19.171369');
INSERT INTO "customer" ("id","tenant_id","name","opted_out_at","bookings_version","created_at") VALUES
(1,1,'Camila Torres',NULL,2,'2026-11-28 12:15:18.105571'),
(2,1,'Beatriz Ramos',NULL,2,'2026-12-02 12:15:18.105571'),
(3,1,'Letícia Nunes',NULL,2,'2026-12-04 12:15:18.105571'),
(4,1,'Rosana Prado',NULL,2,'2026-12-04 12:15:18.105571'),
(5,1,'Helena Couto',NULL,1,'2026-12-04 12:15:18.105571'),
(6,2,'Paulo Mendes',NULL,2,'2026-11-30 12:15:19.463550'),
(7,2,'Caio Duarte',NULL,1,'2026-12-04 12:15:19.463550'),
(8,2,'Ivan Castro',NULL,1,'2026-12-04 12:15:19.463550');
INSERT INTO "early_status" ("tenant_id","provider_sid","status","error_code","at") VALUES
(1,'SM0456','delivered',NULL,'2026-12-07 12:00:00');
INSERT INTO "professional" ("id","tenant_id","name","active","agenda_version") VALUES
(1,1,'Ana Souza',true,6),
(2,1,'Bia Lima',true,1),
(3,1,'Carla Dias',true,2),
(4,2,'Raimundo Nonato',true,4),
(5,2,'João Batista',true,0);
INSERT INTO "service" ("id","tenant_id","name","duration_minutes","buffer_minutes","price_cents","active") VALUES
(1,1,'Corte feminino',60,10,12000,true),
(2,1,'Escova',45,0,8000,true),
(3,1,'Manicure',40,0,4500,true),
(4,1,'Hidratação',30,10,7000,true),
(5,1,'Coloração',120,15,NULL,true),
(6,2,'Corte masculino',30,0,5000,true),
(7,2,'Barba',25,5,4000,true),
(8,2,'Corte e barba',45,5,8000,true);
INSERT INTO "staff" ("id","tenant_id","email","name","password_hash","role","shortcuts","email_alerts","disabled_at","created_at") VALUES
(1,1,'equipe@studio-bela.example','Patrícia Gomes','$argon2id$v=19$m=19456,t=2,p=1$lZp2CJHlGxadMPH264BVAQ$5hw39+tmc0kG3m6l8AEZgUDHBTV5/uXn4qX02g939mM','owner',true,true,NULL,'2026-12-07 12:15:16.784219'),
(2,2,'equipe@barbearia-rio-negro.example','Edson Lima','$argon2id$v=19$m=19456,t=2,p=1$JQ42WqdPQijaW0z+WjP1jQ$Pdk3Pj7kt/d5dIL8ukN6HTH5Kg7TNlMnlXBM2pngK5Q','owner',true,true,NULL,'2026-12-07 12:15:19.171369');
INSERT INTO "write_key" ("id","tenant_id","key","tool","result","at") VALUES
(1,1,'1:0:a','agendar','Agendado.','2026-12-07 12:00:00');
INSERT INTO "appointment" ("id","tenant_id","professional_id","customer_id","starts_at","ends_at","busy_from","busy_until","status","squeeze_in","created_by","created_at","schedule_version","confirmed_at","cancelled_at","cancel_reason") VALUES
(1,1,1,1,'2026-12-01 12:30:00.000000','2026-12-01 13:30:00.000000','2026-12-01 12:30:00.000000','2026-12-01 13:40:00.000000','done',false,'bot','2026-11-28 12:15:18.105571',0,NULL,NULL,''),
(2,1,3,2,'2026-12-05 15:00:00.000000','2026-12-05 15:40:00.000000','2026-12-05 15:00:00.000000','2026-12-05 15:40:00.000000','done',false,'bot','2026-12-02 12:15:18.105571',0,NULL,NULL,''),
(3,1,1,3,'2026-12-07 13:00:00.000000','2026-12-07 13:45:00.000000','2026-12-07 13:00:00.000000','2026-12-07 13:45:00.000000','booked',false,'bot','2026-12-04 12:15:18.105571',0,NULL,NULL,''),
(4,1,3,4,'2026-12-07 17:30:00.000000','2026-12-07 18:10:00.000000','2026-12-07 17:30:00.000000','2026-12-07 18:10:00.000000','booked',false,'bot','2026-12-04 12:15:18.105571',0,NULL,NULL,''),
(5,1,1,5,'2026-12-07 16:30:00.000000','2026-12-07 17:30:00.000000','2026-12-07 16:30:00.000000','2026-12-07 17:40:00.000000','booked',false,'bot','2026-12-04 12:15:18.105571',0,NULL,NULL,''),
(6,1,1,2,'2026-12-07 19:30:00.000000','2026-12-07 20:00:00.000000','2026-12-07 19:30:00.000000','2026-12-07 20:10:00.000000','booked',false,'bot','2026-12-04 12:15:18.105571',0,NULL,NULL,''),
(7,1,1,1,'2026-12-08 12:00:00.000000','2026-12-08 12:30:00.000000','2026-12-08 12:00:00.000000','2026-12-08 12:40:00.000000','booked',false,'bot','2026-12-04 12:15:18.105571',0,NULL,NULL,''),
(8,1,2,3,'2026-12-08 13:30:00.000000','2026-12-08 15:30:00.000000','2026-12-08 13:30:00.000000','2026-12-08 15:45:00.000000','booked',false,'bot','2026-12-04 12:15:18.105571',0,NULL,NULL,''),
(9,1,1,4,'2026-12-09 18:30:00.000000','2026-12-09 19:30:00.000000','2026-12-09 18:30:00.000000','2026-12-09 19:40:00.000000','booked',false,'bot','2026-12-04 12:15:18.105571',0,NULL,NULL,''),
(10,2,4,6,'2026-12-03 20:45:00.000000','2026-12-03 21:15:00.000000','2026-12-03 20:45:00.000000','2026-12-03 21:15:00.000000','done',false,'bot','2026-11-30 12:15:19.463550',0,NULL,NULL,''),
(11,2,4,7,'2026-12-08 19:45:00.000000','2026-12-08 20:30:00.000000','2026-12-08 19:45:00.000000','2026-12-08 20:35:00.000000','booked',false,'bot','2026-12-04 12:15:19.463550',0,NULL,NULL,''),
(12,2,4,6,'2026-12-08 21:45:00.000000','2026-12-08 22:10:00.000000','2026-12-08 21:45:00.000000','2026-12-08 22:15:00.000000','booked',false,'bot','2026-12-04 12:15:19.463550',0,NULL,NULL,''),
(13,2,4,8,'2026-12-08 14:45:00.000000','2026-12-08 15:15:00.000000','2026-12-08 14:45:00.000000','2026-12-08 15:15:00.000000','booked',false,'bot','2026-12-04 12:15:19.463550',0,NULL,NULL,'');
INSERT INTO "audit_event" ("id","tenant_id","staff_id","action","subject_id","detail","at") VALUES
(1,1,NULL,'business.import',NULL,'{"added": 11, "stranded": 0}','2026-12-07 12:15:16.784219'),
(2,1,NULL,'staff.add',1,'{"role": "owner"}','2026-12-07 12:15:16.784219'),
(3,1,1,'conversation.take',2,'{}','2026-12-07 09:11:18.711495'),
(4,1,1,'conversation.give_back',2,'{}','2026-12-07 09:11:18.711495'),
(5,2,NULL,'business.import',NULL,'{"added": 7, "stranded": 0}','2026-12-07 12:15:19.171369'),
(6,2,NULL,'staff.add',2,'{"role": "owner"}','2026-12-07 12:15:19.171369');
INSERT INTO "closure" ("id","tenant_id","date","start_minute","end_minute","reason","staff_id") VALUES
(1,1,'2026-12-31',720,1440,'Véspera de Ano-Novo',NULL),
(2,1,'2027-02-09',0,1440,'Carnaval',NULL),
(3,2,'2027-02-09',0,1440,'Carnaval',NULL);
INSERT INTO "conversation" ("id","tenant_id","customer_id","address","holder","epoch","assignee_id","held_since","snoozed_until","resolved_at","reopen_until","due_at","lease_token","lease_until","attempts","last_seq","answered_seq","unread","last_inbound_at","last_message_at","waiting_since","preview","created_at") VALUES
(1,1,3,'whatsapp:+5511900000013','bot',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,3,1,0,'2026-12-07 07:55:18.423242','2026-12-07 12:15:50.019831',NULL,'Oi, Letícia! Aqui é Studio Bela, passando para lembrar do seu horário: *hoje, segunda-feira, 07/12/2026, às 10:00* Escov','2026-12-07 07:55:18.423242'),
(2,1,1,'whatsapp:+5511900000011','bot',3,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,4,3,0,'2026-12-07 09:05:18.711495','2026-12-07 12:15:50.019831',NULL,'Oi, Camila! Aqui é Studio Bela, passando para lembrar do seu horário: *amanhã, terça-feira, 08/12/2026, às 09:00* Hidrat','2026-12-07 09:05:18.711495'),
(3,1,2,'whatsapp:+5511900000012','queue',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,4,1,1,'2026-12-07 11:51:18.999053','2026-12-07 12:15:50.019831','2026-12-07 11:51:18.999053','Oi, Beatriz! Aqui é Studio Bela, passando para lembrar do seu horário: *hoje, segunda-feira, 07/12/2026, às 16:30* Hidra','2026-12-07 11:51:18.999053'),
(4,2,6,'whatsapp:+5592900000021','bot',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,2,1,0,'2026-12-07 09:45:19.632126','2026-12-07 09:45:19.632126',NULL,'Bom dia, Paulo! 😊 Nossos serviços: - Corte masculino – 30 min, R$ 50,00 - Barba – 25 min, R$ 40,00 - Corte e barba – 45 ','2026-12-07 09:45:19.632126'),
(5,2,8,'whatsapp:+5592900000023','queue',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,2,1,1,'2026-12-07 12:06:19.744930','2026-12-07 12:06:19.744930','2026-12-07 12:06:19.744930','Claro, já chamei uma pessoa da nossa equipe! 😊 Nossa equipe volta terça-feira, 08/12/2026, às 10:00; sua mensagem está n','2026-12-07 12:06:19.744930'),
(6,1,5,'whatsapp:+5511900000015','bot',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,0,NULL,'2026-12-07 12:15:50.019831',NULL,'','2026-12-07 12:15:50.019831'),
(7,1,4,'whatsapp:+5511900000014','bot',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,0,NULL,'2026-12-07 12:15:50.019831',NULL,'','2026-12-07 12:15:50.019831');
INSERT INTO "customer_address" ("id","tenant_id","customer_id","address","match_key") VALUES
(1,1,1,'whatsapp:+5511900000011','whatsapp:+5511900000011'),
(2,1,2,'whatsapp:+5511900000012','whatsapp:+5511900000012'),
(3,1,3,'whatsapp:+5511900000013','whatsapp:+5511900000013'),
(4,1,4,'whatsapp:+5511900000014','whatsapp:+5511900000014'),
(5,1,5,'whatsapp:+5511900000015','whatsapp:+5511900000015'),
(6,2,6,'whatsapp:+5592900000021','whatsapp:+5592900000021'),
(7,2,7,'whatsapp:+5592900000022','whatsapp:+5592900000022'),
(8,2,8,'whatsapp:+5592900000023','whatsapp:+5592900000023');
INSERT INTO "professional_service" ("tenant_id","professional_id","service_id") VALUES
(1,1,1),
(1,1,2),
(1,1,4),
(1,2,1),
(1,2,5),
(1,2,2),
(1,3,3),
(2,4,6),
(2,4,7),
(2,4,8),
(2,5,6),
(2,5,7);
INSERT INTO "time_off" ("id","tenant_id","professional_id","first_date","last_date","start_minute","end_minute","reason","staff_id") VALUES
(1,1,1,'2026-12-24','2026-12-26',0,1440,'Natal',NULL);
INSERT INTO "working_window" ("id","tenant_id","professional_id","weekday","start_minute","end_minute") VALUES
(1,1,1,0,540,720),
(2,1,1,0,780,1080),
(3,1,1,1,540,720),
(4,1,1,1,780,1080),
(5,1,1,2,540,720),
(6,1,1,2,780,1080),
(7,1,1,3,540,720),
(8,1,1,3,780,1080),
(9,1,1,4,540,720),
(10,1,1,4,780,1080),
(11,1,1,5,540,780),
(12,1,2,1,600,840),
(13,1,2,1,900,1200),
(14,1,2,2,600,840),
(15,1,2,2,900,1200),
(16,1,2,3,600,840),
(17,1,2,3,900,1200),
(18,1,2,4,600,840),
(19,1,2,4,900,1200),
(20,1,2,5,540,840),
(21,1,3,0,780,1080),
(22,1,3,2,540,720),
(23,1,3,2,780,1080),
(24,1,3,3,540,720),
(25,1,3,3,780,1080),
(26,1,3,4,540,720),
(27,1,3,4,780,1080),
(28,1,3,5,540,840),
(29,2,4,1,600,840),
(30,2,4,1,900,1260),
(31,2,4,2,600,840),
(32,2,4,2,900,1260),
(33,2,4,3,600,840),
(34,2,4,3,900,1260),
(35,2,4,4,600,840),
(36,2,4,4,900,1260),
(37,2,4,5,540,1080),
(38,2,5,3,840,1320),
(39,2,5,4,840,1440),
(40,2,5,5,840,1440),
(41,2,5,6,0,60);
INSERT INTO "alert" ("id","tenant_id","conversation_id","kind","due_at","attempts","told","settled_at","created_at") VALUES
(1,1,2,'waiting','2026-12-07 09:05:21.711495',0,0,NULL,'2026-12-07 09:05:18.711495'),
(2,1,3,'waiting','2026-12-07 11:51:21.999053',0,0,NULL,'2026-12-07 11:51:18.999053'),
(3,2,5,'waiting','2026-12-07 12:06:22.744930',0,0,NULL,'2026-12-07 12:06:19.744930'),
(4,1,3,'still_waiting','2026-12-07 12:15:38.014427',0,0,NULL,'2026-12-07 12:15:35.014427');
INSERT INTO "appointment_service" ("tenant_id","appointment_id","position","service_id","name","duration_minutes","buffer_minutes","price_cents") VALUES
(1,1,0,1,'Corte feminino',60,10,12000),
(1,2,0,3,'Manicure',40,0,4500),
(1,3,0,2,'Escova',45,0,8000),
(1,4,0,3,'Manicure',40,0,4500),
(1,5,0,1,'Corte feminino',60,10,12000),
(1,6,0,4,'Hidratação',30,10,7000),
(1,7,0,4,'Hidratação',30,10,7000),
(1,8,0,5,'Coloração',120,15,NULL),
(1,9,0,1,'Corte feminino',60,10,12000),
(2,10,0,6,'Corte masculino',30,0,5000),
(2,11,0,8,'Corte e barba',45,5,8000),
(2,12,0,7,'Barba',25,5,4000),
(2,13,0,6,'Corte masculino',30,0,5000);
INSERT INTO "run" ("id","tenant_id","conversation_id","from_seq","through_seq","epoch","provider","model","prompt_version","started_at","finished_at","outcome","handoff_reason","iterations","input_tokens","output_tokens","cache_read_tokens","cache_write_tokens","cost_microdollars") VALUES
(1,1,1,0,1,0,'offline','offline','f0d92e1eeefd','2026-12-07 07:55:18.423242','2026-12-07 07:55:18.423242','answered',NULL,2,5874,92,0,0,0),
(2,1,2,0,1,0,'offline','offline','f0d92e1eeefd','2026-12-07 09:05:18.711495','2026-12-07 09:05:18.711495','handed_off','pedido_do_cliente',1,5813,57,0,0,0),
(3,1,3,0,1,0,'offline','offline','f0d92e1eeefd','2026-12-07 11:51:18.999053','2026-12-07 11:51:18.999053','handed_off','pedido_do_cliente',1,5815,57,0,0,0),
(4,2,4,0,1,0,'offline','offline','fcc57e9b2cf7','2026-12-07 09:45:19.632126','2026-12-07 09:45:19.632126','answered',NULL,2,5775,73,0,0,0),
(5,2,5,0,1,0,'offline','offline','fcc57e9b2cf7','2026-12-07 12:06:19.744930','2026-12-07 12:06:19.744930','handed_off','pedido_do_cliente',1,5805,57,0,0,0);
INSERT INTO "handoff" ("id","tenant_id","conversation_id","reason","detail","run_id","reopened","trigger_seq","opened_at","claimed_at","claimed_by","first_reply_at","acknowledged_at","realerted_at","second_text_at","window_warned_at","closed_at","closed_by","closed_seq","close_reason","note") VALUES
(1,1,2,'pedido_do_cliente','O cliente pediu para falar com uma pessoa.',2,false,1,'2026-12-07 09:05:18.711495','2026-12-07 09:11:18.711495',1,'2026-12-07 09:11:18.711495',NULL,NULL,NULL,NULL,'2026-12-07 09:11:18.711495',1,3,'returned_to_bot','Pedido resolvido pela equipe.'),
(2,1,3,'pedido_do_cliente','O cliente pediu para falar com uma pessoa.',3,false,1,'2026-12-07 11:51:18.999053',NULL,NULL,NULL,NULL,'2026-12-07 12:15:35.014427','2026-12-07 12:15:35.014427',NULL,NULL,NULL,NULL,NULL,''),
(3,2,5,'pedido_do_cliente','O cliente pediu para falar com uma pessoa.',5,false,1,'2026-12-07 12:06:19.744930',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "message" ("id","tenant_id","conversation_id","seq","direction","author","kind","text","media","extra","status","error_code","provider_sid","client_key","staff_id","run_id","epoch","content_sid","content_variables","prefer_text","attempts","send_after","send_before","sending_since","created_at","sent_at") VALUES
(1,1,1,1,'in','customer','text','Oi, quais são os serviços?','[]','{}','received',NULL,'SMd49bc4abee76635b1dfb20cd093df513',NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 07:55:18.423242',NULL),
(2,1,1,2,'out','bot','text','Bom dia, Letícia! 😊

Nossos serviços:
- Corte feminino – 60 min, R$ 120,00
- Escova – 45 min, R$ 80,00
- Manicure – 40 min, R$ 45,00
- Hidratação – 30 min, R$ 70,00
- Coloração – 120 min, preço sob consulta

Quer ver os horários?','[]','{}','read',NULL,'SM20c8eca3c3207098c6703285fed9f65a',NULL,NULL,1,0,NULL,NULL,false,1,'2026-12-07 07:55:18.423242',NULL,'2026-12-07 08:01:18.423242','2026-12-07 07:55:18.423242','2026-12-07 08:01:18.423242'),
(3,1,2,1,'in','customer','text','Quero falar com uma pessoa','[]','{}','received',NULL,'SMf9312e83bef3a71a2d447dfd5a481598',NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 09:05:18.711495',NULL),
(4,1,2,2,'out','bot','text','Claro, já chamei uma pessoa da nossa equipe! 😊

Nossa equipe volta segunda-feira, 07/12/2026, às 09:00; sua mensagem está na fila.','[]','{}','read',NULL,'SM1a893151247a7db80061a3414222fb39',NULL,NULL,2,NULL,NULL,NULL,false,1,'2026-12-07 09:05:18.711495',NULL,'2026-12-07 09:11:18.711495','2026-12-07 09:05:18.711495','2026-12-07 09:11:18.711495'),
(5,1,2,3,'out','staff','text','Oi, Camila! Aqui é a Patrícia. Pode trazer a sua filha, sim: temos um cantinho com brinquedos.','[]','{}','read',NULL,'SM18ad8ad2bbb15ab6903c84e27cf4ce08','SMfc3cc19a6498b9a5565f3b8097809741',1,NULL,NULL,NULL,NULL,false,1,'2026-12-07 09:11:18.711495',NULL,'2026-12-07 09:11:18.711495','2026-12-07 09:11:18.711495','2026-12-07 09:11:18.711495'),
(6,1,3,1,'in','customer','text','Quero falar com uma pessoa','[]','{}','received',NULL,'SM9e50bd23ee82900c486a16fbc86b5140',NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 11:51:18.999053',NULL),
(7,1,3,2,'out','bot','text','Claro, já chamei uma pessoa da nossa equipe! 😊

Nossa equipe volta segunda-feira, 07/12/2026, às 09:00; sua mensagem está na fila.','[]','{}','read',NULL,'SMaed10ed60d752b3b3bb67624dfb150b6',NULL,NULL,3,NULL,NULL,NULL,false,1,'2026-12-07 11:51:18.999053',NULL,'2026-12-07 11:57:18.999053','2026-12-07 11:51:18.999053','2026-12-07 11:57:18.999053'),
(8,2,4,1,'in','customer','text','Oi, quais são os serviços?','[]','{}','received',NULL,'SMaeb258817ad4379d4a6688a54e7919af',NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 09:45:19.632126',NULL),
(9,2,4,2,'out','bot','text','Bom dia, Paulo! 😊

Nossos serviços:
- Corte masculino – 30 min, R$ 50,00
- Barba – 25 min, R$ 40,00
- Corte e barba – 45 min, R$ 80,00

Quer ver os horários?','[]','{}','read',NULL,'SM03b3fe6f8fa6407156960d76904932e3',NULL,NULL,4,0,NULL,NULL,false,1,'2026-12-07 09:45:19.632126',NULL,'2026-12-07 09:51:19.632126','2026-12-07 09:45:19.632126','2026-12-07 09:51:19.632126'),
(10,2,5,1,'in','customer','text','Quero falar com uma pessoa','[]','{}','received',NULL,'SMf8668b0b7f149d505ec5424148ca75c2',NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 12:06:19.744930',NULL),
(11,2,5,2,'out','bot','text','Claro, já chamei uma pessoa da nossa equipe! 😊

Nossa equipe volta terça-feira, 08/12/2026, às 10:00; sua mensagem está na fila.','[]','{}','read',NULL,'SM656d29fa480148aefd033f72e45a94d6',NULL,NULL,5,NULL,NULL,NULL,false,1,'2026-12-07 12:06:19.744930',NULL,'2026-12-07 12:12:19.744930','2026-12-07 12:06:19.744930','2026-12-07 12:12:19.744930'),
(12,1,3,3,'out','system','text','Desculpe a demora! Ainda não consegui uma pessoa da equipe, mas sua mensagem continua na fila.

Se preferir, responda *BOT* para voltar ao assistente.','[]','{}','read',NULL,'SMd46068e0246983ce3d1f2fbf69e0804e','second_text:2',NULL,NULL,1,NULL,NULL,false,1,'2026-12-07 12:15:35.014427',NULL,'2026-12-07 12:15:35.063374','2026-12-07 12:15:35.014427','2026-12-07 12:15:35.076459'),
(13,1,3,4,'out','system','text','Oi, Beatriz! Aqui é Studio Bela, passando para lembrar do seu horário:

*hoje, segunda-feira, 07/12/2026, às 16:30*
Hidratação com Ana Souza
📍 Rua Augusta, 1000 - Consolação, São Paulo

Responda *confirmar*, *remarcar* ou *cancelar*.','[]','{}','read',NULL,'SMec41c1909cd15ca7eb01abae0a1daf81',NULL,NULL,NULL,NULL,NULL,NULL,false,1,'2026-12-07 12:15:50.019831','2026-12-07 19:15:00.000000','2026-12-07 12:15:50.145912','2026-12-07 12:15:50.019831','2026-12-07 12:15:50.230660'),
(14,1,1,3,'out','system','text','Oi, Letícia! Aqui é Studio Bela, passando para lembrar do seu horário:

*hoje, segunda-feira, 07/12/2026, às 10:00*
Escova com Ana Souza
📍 Rua Augusta, 1000 - Consolação, São Paulo

Responda *confirmar*, *remarcar* ou *cancelar*. Como falta pouco, para mudar ou cancelar a equipe precisa ajudar.','[]','{}','read',NULL,'SMaecc9059349f0cff1ee2669153946500',NULL,NULL,NULL,NULL,NULL,NULL,false,1,'2026-12-07 12:15:50.019831','2026-12-07 12:45:00.000000','2026-12-07 12:15:50.213640','2026-12-07 12:15:50.019831','2026-12-07 12:15:50.246402'),
(15,1,2,4,'out','system','text','Oi, Camila! Aqui é Studio Bela, passando para lembrar do seu horário:

*amanhã, terça-feira, 08/12/2026, às 09:00*
Hidratação com Ana Souza
📍 Rua Augusta, 1000 - Consolação, São Paulo

Responda *confirmar*, *remarcar* ou *cancelar*.','[]','{}','read',NULL,'SMba3e044416b2120669ce1bfca1855e2f',NULL,NULL,NULL,NULL,NULL,NULL,false,1,'2026-12-07 12:15:50.019831','2026-12-08 00:05:00.000000','2026-12-07 12:15:50.217879','2026-12-07 12:15:50.019831','2026-12-07 12:15:50.239845');
INSERT INTO "run_step" ("id","tenant_id","run_id","position","kind","content","kept","stop_reason","usage","model","is_error","error_class","milliseconds","at") VALUES
(1,1,1,0,'input','[{"type": "text", "text": "<contexto>\nAgora: segunda-feira, 2026-12-07, 04:55 (America/Sao_Paulo).\nPr\u00f3ximos dias: segunda-feira 2026-12-07 (hoje), ter\u00e7a-feira 2026-12-08 (amanh\u00e3), quarta-feira 2026-12-09 (depois de amanh\u00e3), quinta-feira 2026-12-10, sexta-feira 2026-12-11, s\u00e1bado 2026-12-12, domingo 2026-12-13, segunda-feira 2026-12-14, ter\u00e7a-feira 2026-12-15, quarta-feira 2026-12-16, quinta-feira 2026-12-17, sexta-feira 2026-12-18, s\u00e1bado 2026-12-19, domingo 2026-12-20.\nCliente: Let\u00edcia Nunes.\nAgendamentos futuros do cliente:\n- agendamento_id 3: Escova com Ana Souza (profissional_id 1), segunda-feira, 07/12/2026, \u00e0s 10:00.\n- agendamento_id 8: Colora\u00e7\u00e3o com Bia Lima (profissional_id 2), ter\u00e7a-feira, 08/12/2026, \u00e0s 10:30.\n</contexto>"}, {"type": "text", "text": "Oi, quais s\u00e3o os servi\u00e7os?"}]',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 07:55:18.423242'),
(2,1,1,1,'answer','[{"type": "tool_use", "id": "toolu_48bcc4905995f4207db2_1", "name": "buscar_servicos", "input": {}}]',true,'tool_use','{"input_tokens": 2841, "output_tokens": 25, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,9,'2026-12-07 07:55:18.423242'),
(3,1,1,2,'result','{"tool_use_id": "toolu_48bcc4905995f4207db2_1", "name": "buscar_servicos", "input": {}, "text": "Servi\u00e7os de Studio Bela:\n- Corte feminino (servico_id 1): 60 min, R$ 120,00. Com: Ana Souza (profissional_id 1), Bia Lima (profissional_id 2).\n- Escova (servico_id 2): 45 min, R$ 80,00. Com: Ana Souza (profissional_id 1), Bia Lima (profissional_id 2).\n- Manicure (servico_id 3): 40 min, R$ 45,00. Com: Carla Dias (profissional_id 3).\n- Hidrata\u00e7\u00e3o (servico_id 4): 30 min, R$ 70,00. Com: Ana Souza (profissional_id 1).\n- Colora\u00e7\u00e3o (servico_id 5): 120 min, pre\u00e7o sob consulta. Com: Bia Lima (profissional_id 2)."}',true,NULL,'null',NULL,false,NULL,3,'2026-12-07 07:55:18.423242'),
(4,1,1,3,'answer','[{"type": "text", "text": "Bom dia, Let\u00edcia! \ud83d\ude0a\n\nNossos servi\u00e7os:\n- Corte feminino \u2013 60 min, R$ 120,00\n- Escova \u2013 45 min, R$ 80,00\n- Manicure \u2013 40 min, R$ 45,00\n- Hidrata\u00e7\u00e3o \u2013 30 min, R$ 70,00\n- Colora\u00e7\u00e3o \u2013 120 min, pre\u00e7o sob consulta\n\nQuer ver os hor\u00e1rios?"}]',true,'end_turn','{"input_tokens": 3033, "output_tokens": 67, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,10,'2026-12-07 07:55:18.423242'),
(5,1,2,0,'input','[{"type": "text", "text": "<contexto>\nAgora: segunda-feira, 2026-12-07, 06:05 (America/Sao_Paulo).\nPr\u00f3ximos dias: segunda-feira 2026-12-07 (hoje), ter\u00e7a-feira 2026-12-08 (amanh\u00e3), quarta-feira 2026-12-09 (depois de amanh\u00e3), quinta-feira 2026-12-10, sexta-feira 2026-12-11, s\u00e1bado 2026-12-12, domingo 2026-12-13, segunda-feira 2026-12-14, ter\u00e7a-feira 2026-12-15, quarta-feira 2026-12-16, quinta-feira 2026-12-17, sexta-feira 2026-12-18, s\u00e1bado 2026-12-19, domingo 2026-12-20.\nCliente: Camila Torres.\nAgendamentos futuros do cliente:\n- agendamento_id 7: Hidrata\u00e7\u00e3o com Ana Souza (profissional_id 1), ter\u00e7a-feira, 08/12/2026, \u00e0s 09:00.\n</contexto>"}, {"type": "text", "text": "Quero falar com uma pessoa"}]',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 09:05:18.711495'),
(6,1,2,1,'answer','[{"type": "tool_use", "id": "toolu_6631ac5643e68a4077d8_1", "name": "chamar_atendente", "input": {"motivo": "O cliente pediu para falar com uma pessoa."}}]',true,'tool_use','{"input_tokens": 2816, "output_tokens": 38, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,3,'2026-12-07 09:05:18.711495'),
(7,1,2,2,'result','{"tool_use_id": "toolu_6631ac5643e68a4077d8_1", "name": "chamar_atendente", "input": {"motivo": "O cliente pediu para falar com uma pessoa."}, "text": "Pedido registrado: uma pessoa da equipe vai continuar esta conversa.", "handoff": "O cliente pediu para falar com uma pessoa."}',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 09:05:18.711495'),
(8,1,2,3,'final','[{"type": "text", "text": "Claro, j\u00e1 chamei uma pessoa da nossa equipe! \ud83d\ude0a"}]',false,'end_turn','{"input_tokens": 2997, "output_tokens": 19, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,'pedido_do_cliente',2,'2026-12-07 09:05:18.711495'),
(9,1,3,0,'input','[{"type": "text", "text": "<contexto>\nAgora: segunda-feira, 2026-12-07, 08:51 (America/Sao_Paulo).\nPr\u00f3ximos dias: segunda-feira 2026-12-07 (hoje), ter\u00e7a-feira 2026-12-08 (amanh\u00e3), quarta-feira 2026-12-09 (depois de amanh\u00e3), quinta-feira 2026-12-10, sexta-feira 2026-12-11, s\u00e1bado 2026-12-12, domingo 2026-12-13, segunda-feira 2026-12-14, ter\u00e7a-feira 2026-12-15, quarta-feira 2026-12-16, quinta-feira 2026-12-17, sexta-feira 2026-12-18, s\u00e1bado 2026-12-19, domingo 2026-12-20.\nCliente: Beatriz Ramos.\nAgendamentos futuros do cliente:\n- agendamento_id 6: Hidrata\u00e7\u00e3o com Ana Souza (profissional_id 1), segunda-feira, 07/12/2026, \u00e0s 16:30.\n</contexto>"}, {"type": "text", "text": "Quero falar com uma pessoa"}]',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 11:51:18.999053'),
(10,1,3,1,'answer','[{"type": "tool_use", "id": "toolu_b1f276a5555b8d0b8311_1", "name": "chamar_atendente", "input": {"motivo": "O cliente pediu para falar com uma pessoa."}}]',true,'tool_use','{"input_tokens": 2817, "output_tokens": 38, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,3,'2026-12-07 11:51:18.999053'),
(11,1,3,2,'result','{"tool_use_id": "toolu_b1f276a5555b8d0b8311_1", "name": "chamar_atendente", "input": {"motivo": "O cliente pediu para falar com uma pessoa."}, "text": "Pedido registrado: uma pessoa da equipe vai continuar esta conversa.", "handoff": "O cliente pediu para falar com uma pessoa."}',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 11:51:18.999053'),
(12,1,3,3,'final','[{"type": "text", "text": "Claro, j\u00e1 chamei uma pessoa da nossa equipe! \ud83d\ude0a"}]',false,'end_turn','{"input_tokens": 2998, "output_tokens": 19, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,'pedido_do_cliente',6,'2026-12-07 11:51:18.999053'),
(13,2,4,0,'input','[{"type": "text", "text": "<contexto>\nAgora: segunda-feira, 2026-12-07, 05:45 (America/Manaus).\nPr\u00f3ximos dias: segunda-feira 2026-12-07 (hoje), ter\u00e7a-feira 2026-12-08 (amanh\u00e3), quarta-feira 2026-12-09 (depois de amanh\u00e3), quinta-feira 2026-12-10, sexta-feira 2026-12-11, s\u00e1bado 2026-12-12, domingo 2026-12-13, segunda-feira 2026-12-14, ter\u00e7a-feira 2026-12-15, quarta-feira 2026-12-16, quinta-feira 2026-12-17, sexta-feira 2026-12-18, s\u00e1bado 2026-12-19, domingo 2026-12-20.\nCliente: Paulo Mendes.\nAgendamentos futuros do cliente:\n- agendamento_id 12: Barba com Raimundo Nonato (profissional_id 4), ter\u00e7a-feira, 08/12/2026, \u00e0s 17:45.\n</contexto>"}, {"type": "text", "text": "Oi, quais s\u00e3o os servi\u00e7os?"}]',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 09:45:19.632126'),
(14,2,4,1,'answer','[{"type": "tool_use", "id": "toolu_b51336283fcb08e61384_1", "name": "buscar_servicos", "input": {}}]',true,'tool_use','{"input_tokens": 2809, "output_tokens": 25, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,7,'2026-12-07 09:45:19.632126'),
(15,2,4,2,'result','{"tool_use_id": "toolu_b51336283fcb08e61384_1", "name": "buscar_servicos", "input": {}, "text": "Servi\u00e7os de Barbearia Rio Negro:\n- Corte masculino (servico_id 6): 30 min, R$ 50,00. Com: Raimundo Nonato (profissional_id 4), Jo\u00e3o Batista (profissional_id 5).\n- Barba (servico_id 7): 25 min, R$ 40,00. Com: Raimundo Nonato (profissional_id 4), Jo\u00e3o Batista (profissional_id 5).\n- Corte e barba (servico_id 8): 45 min, R$ 80,00. Com: Raimundo Nonato (profissional_id 4)."}',true,NULL,'null',NULL,false,NULL,11,'2026-12-07 09:45:19.632126'),
(16,2,4,3,'answer','[{"type": "text", "text": "Bom dia, Paulo! \ud83d\ude0a\n\nNossos servi\u00e7os:\n- Corte masculino \u2013 30 min, R$ 50,00\n- Barba \u2013 25 min, R$ 40,00\n- Corte e barba \u2013 45 min, R$ 80,00\n\nQuer ver os hor\u00e1rios?"}]',true,'end_turn','{"input_tokens": 2966, "output_tokens": 48, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,17,'2026-12-07 09:45:19.632126'),
(17,2,5,0,'input','[{"type": "text", "text": "<contexto>\nAgora: segunda-feira, 2026-12-07, 08:06 (America/Manaus).\nPr\u00f3ximos dias: segunda-feira 2026-12-07 (hoje), ter\u00e7a-feira 2026-12-08 (amanh\u00e3), quarta-feira 2026-12-09 (depois de amanh\u00e3), quinta-feira 2026-12-10, sexta-feira 2026-12-11, s\u00e1bado 2026-12-12, domingo 2026-12-13, segunda-feira 2026-12-14, ter\u00e7a-feira 2026-12-15, quarta-feira 2026-12-16, quinta-feira 2026-12-17, sexta-feira 2026-12-18, s\u00e1bado 2026-12-19, domingo 2026-12-20.\nCliente: Ivan Castro.\nAgendamentos futuros do cliente:\n- agendamento_id 13: Corte masculino com Raimundo Nonato (profissional_id 4), ter\u00e7a-feira, 08/12/2026, \u00e0s 10:45.\n</contexto>"}, {"type": "text", "text": "Quero falar com uma pessoa"}]',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 12:06:19.744930'),
(18,2,5,1,'answer','[{"type": "tool_use", "id": "toolu_22524f6aabb0808bff86_1", "name": "chamar_atendente", "input": {"motivo": "O cliente pediu para falar com uma pessoa."}}]',true,'tool_use','{"input_tokens": 2812, "output_tokens": 38, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,3,'2026-12-07 12:06:19.744930'),
(19,2,5,2,'result','{"tool_use_id": "toolu_22524f6aabb0808bff86_1", "name": "chamar_atendente", "input": {"motivo": "O cliente pediu para falar com uma pessoa."}, "text": "Pedido registrado: uma pessoa da equipe vai continuar esta conversa.", "handoff": "O cliente pediu para falar com uma pessoa."}',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 12:06:19.744930'),
(20,2,5,3,'final','[{"type": "text", "text": "Claro, j\u00e1 chamei uma pessoa da nossa equipe! \ud83d\ude0a"}]',false,'end_turn','{"input_tokens": 2993, "output_tokens": 19, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,'pedido_do_cliente',6,'2026-12-07 12:06:19.744930');
INSERT INTO "reminder" ("id","tenant_id","appointment_id","hours","version","due_at","state","reason","message_id") VALUES
(1,1,1,24,0,'2026-11-30 12:30:00.000000','obsolete','',NULL),
(2,1,1,2,0,'2026-11-30 23:00:00.000000','obsolete','',NULL),
(3,1,2,24,0,'2026-12-04 15:00:00.000000','obsolete','',NULL),
(4,1,2,2,0,'2026-12-05 13:00:00.000000','obsolete','',NULL),
(5,1,3,24,0,'2026-12-06 13:00:00.000000','skipped','o lembrete seguinte já era devido',NULL),
(6,1,3,2,0,'2026-12-07 11:00:00.000000','sent','',14),
(7,1,4,24,0,'2026-12-06 17:30:00.000000','failed','sem modelo',NULL),
(8,1,4,2,0,'2026-12-07 15:30:00.000000','pending','',NULL),
(9,1,5,24,0,'2026-12-06 16:30:00.000000','failed','sem modelo',NULL),
(10,1,5,2,0,'2026-12-07 14:30:00.000000','pending','',NULL),
(11,1,6,24,0,'2026-12-06 19:30:00.000000','sent','',13),
(12,1,6,2,0,'2026-12-07 17:30:00.000000','pending','',NULL),
(13,1,7,24,0,'2026-12-07 12:00:00.000000','sent','',15),
(14,1,7,2,0,'2026-12-07 23:00:00.000000','pending','',NULL),
(15,1,8,24,0,'2026-12-07 13:30:00.000000','pending','',NULL),
(16,1,8,2,0,'2026-12-08 11:30:00.000000','pending','',NULL),
(17,1,9,24,0,'2026-12-08 18:30:00.000000','pending','',NULL),
(18,1,9,2,0,'2026-12-09 16:30:00.000000','pending','',NULL),
(19,2,10,3,0,'2026-12-03 17:45:00.000000','obsolete','',NULL),
(20,2,11,3,0,'2026-12-08 16:45:00.000000','pending','',NULL),
(21,2,12,3,0,'2026-12-08 18:45:00.000000','pending','',NULL),
(22,2,13,3,0,'2026-12-08 00:00:00.000000','pending','',NULL);
INSERT INTO "waitlist" ("id","tenant_id","customer_id","service_id","professional_id","date","period","state","reason","created_at","offered_start","offered_professional_id","offer_until","message_id") VALUES
(1,1,1,1,NULL,'2026-12-20',NULL,'waiting','','2026-12-07 12:00:00',NULL,NULL,NULL,NULL);
