INSERT INTO "tenant" ("id","slug","name","whatsapp","timezone","address","about","holidays_country","holidays_state","holidays_city","holidays_closed","holidays_optional","holidays_open","twilio_account_sid","twilio_auth_token_env","template_reminder","template_waitlist_offer","template_contact","buttons","slot_step_minutes","min_notice_minutes","horizon_days","cancel_notice_minutes","max_open_appointments","reminders_hours","handoff_hours","handoff_realert_minutes","handoff_second_text_minutes","handoff_release_minutes","handoff_reopen_minutes","inbound_seen_at","created_at","images","retention_customers_days","retention_media_days") VALUES
(1,'studio-bela','Studio Bela','+551130001000','America/Sao_Paulo','Rua Augusta, 1000 - Consolação, São Paulo','Salão de beleza no centro de São Paulo.
Aberto segunda das 9h às 18h, de terça a sexta das 9h às 20h e sábado das 9h às 14h.
Estacionamento conveniado no número 1010, uma hora grátis.
Aceitamos Pix, cartão e dinheiro. Crianças são bem-vindas.','BR','SP',NULL,true,'[]','[]',NULL,NULL,NULL,NULL,NULL,true,30,60,60,120,3,'[24, 2]','{"0": [[540, 1080]], "1": [[540, 1080]], "2": [[540, 1080]], "3": [[540, 1080]], "4": [[540, 1080]], "5": [[540, 780]]}',5,15,15,120,'2026-12-07 12:22:49.643429','2026-11-23 12:22:43.329602',true,NULL,NULL),
(2,'barbearia-rio-negro','Barbearia Rio Negro','+559230001000','America/Manaus','Avenida Eduardo Ribeiro, 520 - Centro, Manaus','Barbearia tradicional perto do Teatro Amazonas.
Aberto terça e quarta das 10h às 21h, quinta até as 22h, sexta e sábado até a meia-noite.
Atendimento com hora marcada; o combo corte e barba leva 45 minutos.','BR','AM',NULL,false,'[]','[]',NULL,NULL,NULL,NULL,NULL,false,15,30,30,60,2,'[3]','{"1": [[600, 1260]], "2": [[600, 1260]], "3": [[600, 1260]], "4": [[600, 1260]], "5": [[600, 1260]]}',5,15,15,120,'2026-12-07 12:22:49.643429','2026-11-23 12:22:44.407666',false,NULL,NULL);
INSERT INTO "customer" ("id","tenant_id","name","opted_out_at","bookings_version","created_at") VALUES
(1,1,'Camila Torres',NULL,2,'2026-11-28 12:22:44.085270'),
(2,1,'Beatriz Ramos',NULL,2,'2026-12-02 12:22:44.085270'),
(3,1,'Letícia Nunes',NULL,2,'2026-12-04 12:22:44.085270'),
(4,1,'Rosana Prado',NULL,2,'2026-12-04 12:22:44.085270'),
(5,1,'Helena Couto',NULL,1,'2026-12-04 12:22:44.085270'),
(6,2,'Paulo Mendes',NULL,2,'2026-11-30 12:22:44.497565'),
(7,2,'Caio Duarte',NULL,1,'2026-12-04 12:22:44.497565'),
(8,2,'Ivan Castro',NULL,1,'2026-12-04 12:22:44.497565');
INSERT INTO "early_status" ("tenant_id","provider_sid","status","error_code","at") VALUES
(1,'SM0456','delivered',NULL,'2026-12-07 12:00:00');
INSERT INTO "professional" ("id","tenant_id","name","active","agenda_version") VALUES
(1,1,'Ana Souza',true,6),
(2,1,'Bia Lima',true,1),
(3,1,'Carla Dias',true,2),
(4,2,'Raimundo Nonato',true,4),
(5,2,'João Batista',true,0);
INSERT INTO "removal" ("id","tenant_id","kind","reference","due_at","attempts") VALUES
(1,1,'message','SM0123','2026-12-08 12:00:00',0);
INSERT INTO "service" ("id","tenant_id","name","duration_minutes","buffer_minutes","price_cents","active","on_holidays") VALUES
(1,1,'Corte feminino',60,10,12000,true,false),
(2,1,'Escova',45,0,8000,true,false),
(3,1,'Manicure',40,0,4500,true,false),
(4,1,'Hidratação',30,10,7000,true,false),
(5,1,'Coloração',120,15,NULL,true,false),
(6,2,'Corte masculino',30,0,5000,true,false),
(7,2,'Barba',25,5,4000,true,false),
(8,2,'Corte e barba',45,5,8000,true,false);
INSERT INTO "staff" ("id","tenant_id","email","name","password_hash","role","shortcuts","email_alerts","disabled_at","created_at") VALUES
(1,1,'equipe@studio-bela.example','Patrícia Gomes','$argon2id$v=19$m=19456,t=2,p=1$MirQuqvKOgcw6lAR6XEpQw$1EqoOBU8Ob/AzYdGpe17Ailp4SiZmgNLoPnVIc5x9JI','owner',true,true,NULL,'2026-11-23 12:22:43.329602'),
(2,2,'equipe@barbearia-rio-negro.example','Edson Lima','$argon2id$v=19$m=19456,t=2,p=1$ZjEBOudJfxH/YeTaoazarQ$nBOnGE0UzMzRqArhwiXi37h9XomE8jrgITZq+P6sWBY','owner',true,true,NULL,'2026-11-23 12:22:44.407666');
INSERT INTO "write_key" ("id","tenant_id","key","tool","result","at") VALUES
(1,1,'1:0:a','agendar','Agendado.','2026-12-07 12:00:00');
INSERT INTO "appointment" ("id","tenant_id","professional_id","customer_id","starts_at","ends_at","busy_from","busy_until","status","squeeze_in","created_by","created_at","schedule_version","confirmed_at","cancelled_at","cancel_reason") VALUES
(1,1,1,1,'2026-12-01 12:30:00.000000','2026-12-01 13:30:00.000000','2026-12-01 12:30:00.000000','2026-12-01 13:40:00.000000','done',false,'bot','2026-11-28 12:22:44.085270',0,NULL,NULL,''),
(2,1,3,2,'2026-12-05 15:00:00.000000','2026-12-05 15:40:00.000000','2026-12-05 15:00:00.000000','2026-12-05 15:40:00.000000','done',false,'bot','2026-12-02 12:22:44.085270',0,NULL,NULL,''),
(3,1,1,3,'2026-12-07 13:00:00.000000','2026-12-07 13:45:00.000000','2026-12-07 13:00:00.000000','2026-12-07 13:45:00.000000','booked',false,'bot','2026-12-04 12:22:44.085270',0,NULL,NULL,''),
(4,1,3,4,'2026-12-07 17:30:00.000000','2026-12-07 18:10:00.000000','2026-12-07 17:30:00.000000','2026-12-07 18:10:00.000000','booked',false,'bot','2026-12-04 12:22:44.085270',0,NULL,NULL,''),
(5,1,1,5,'2026-12-07 16:30:00.000000','2026-12-07 17:30:00.000000','2026-12-07 16:30:00.000000','2026-12-07 17:40:00.000000','booked',false,'bot','2026-12-04 12:22:44.085270',0,NULL,NULL,''),
(6,1,1,2,'2026-12-07 19:30:00.000000','2026-12-07 20:00:00.000000','2026-12-07 19:30:00.000000','2026-12-07 20:10:00.000000','booked',false,'bot','2026-12-04 12:22:44.085270',0,NULL,NULL,''),
(7,1,1,1,'2026-12-08 12:00:00.000000','2026-12-08 12:30:00.000000','2026-12-08 12:00:00.000000','2026-12-08 12:40:00.000000','booked',false,'bot','2026-12-04 12:22:44.085270',0,NULL,NULL,''),
(8,1,2,3,'2026-12-08 13:30:00.000000','2026-12-08 15:30:00.000000','2026-12-08 13:30:00.000000','2026-12-08 15:45:00.000000','booked',false,'bot','2026-12-04 12:22:44.085270',0,NULL,NULL,''),
(9,1,1,4,'2026-12-09 18:30:00.000000','2026-12-09 19:30:00.000000','2026-12-09 18:30:00.000000','2026-12-09 19:40:00.000000','booked',false,'bot','2026-12-04 12:22:44.085270',0,NULL,NULL,''),
(10,2,4,6,'2026-12-03 20:45:00.000000','2026-12-03 21:15:00.000000','2026-12-03 20:45:00.000000','2026-12-03 21:15:00.000000','done',false,'bot','2026-11-30 12:22:44.497565',0,NULL,NULL,''),
(11,2,4,7,'2026-12-08 19:45:00.000000','2026-12-08 20:30:00.000000','2026-12-08 19:45:00.000000','2026-12-08 20:35:00.000000','booked',false,'bot','2026-12-04 12:22:44.497565',0,NULL,NULL,''),
(12,2,4,6,'2026-12-08 21:45:00.000000','2026-12-08 22:10:00.000000','2026-12-08 21:45:00.000000','2026-12-08 22:15:00.000000','booked',false,'bot','2026-12-04 12:22:44.497565',0,NULL,NULL,''),
(13,2,4,8,'2026-12-08 14:45:00.000000','2026-12-08 15:15:00.000000','2026-12-08 14:45:00.000000','2026-12-08 15:15:00.000000','booked',false,'bot','2026-12-04 12:22:44.497565',0,NULL,NULL,'');
INSERT INTO "audit_event" ("id","tenant_id","staff_id","action","subject_id","detail","at") VALUES
(1,1,NULL,'business.import',NULL,'{"added": 11, "stranded": 0}','2026-11-23 12:22:43.329602'),
(2,1,NULL,'staff.add',1,'{"role": "owner"}','2026-11-23 12:22:43.329602'),
(3,1,1,'conversation.take',2,'{}','2026-12-05 15:18:44.286319'),
(4,1,1,'conversation.give_back',2,'{}','2026-12-05 15:18:44.286319'),
(5,2,NULL,'business.import',NULL,'{"added": 7, "stranded": 0}','2026-11-23 12:22:44.407666'),
(6,2,NULL,'staff.add',2,'{"role": "owner"}','2026-11-23 12:22:44.407666');
INSERT INTO "closure" ("id","tenant_id","date","start_minute","end_minute","reason","staff_id") VALUES
(1,1,'2026-12-31',720,1440,'Véspera de Ano-Novo',NULL),
(2,1,'2027-02-09',0,1440,'Carnaval',NULL),
(3,2,'2027-02-09',0,1440,'Carnaval',NULL);
INSERT INTO "conversation" ("id","tenant_id","customer_id","address","holder","epoch","assignee_id","held_since","snoozed_until","resolved_at","reopen_until","due_at","lease_token","lease_until","attempts","last_seq","answered_seq","unread","last_inbound_at","last_message_at","waiting_since","preview","created_at") VALUES
(1,1,3,'whatsapp:+5511900000013','bot',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,3,1,0,'2026-12-07 08:02:44.152508','2026-12-07 12:23:14.648048',NULL,'Oi, Letícia! Aqui é Studio Bela, passando para lembrar do seu horário: *hoje, segunda-feira, 07/12/2026, às 10:00* Escov','2026-12-07 08:02:44.152508'),
(2,1,1,'whatsapp:+5511900000011','bot',3,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,4,3,0,'2026-12-05 15:12:44.286319','2026-12-05 15:18:44.286319',NULL,'Oi, Camila! Aqui é a Patrícia. Pode trazer a sua filha, sim: temos um cantinho com brinquedos.','2026-12-05 15:12:44.286319'),
(3,1,2,'whatsapp:+5511900000012','queue',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,4,1,1,'2026-12-07 11:58:44.387803','2026-12-07 12:23:14.648048','2026-12-07 11:58:44.387803','Oi, Beatriz! Aqui é Studio Bela, passando para lembrar do seu horário: *hoje, segunda-feira, 07/12/2026, às 16:30* Hidra','2026-12-07 11:58:44.387803'),
(4,2,6,'whatsapp:+5592900000021','bot',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,2,1,0,'2026-12-07 09:52:44.523598','2026-12-07 09:52:44.523598',NULL,'Bom dia, Paulo! 😊 Nossos serviços: - Corte masculino – 30 min, R$ 50,00 - Barba – 25 min, R$ 40,00 - Corte e barba – 45 ','2026-12-07 09:52:44.523598'),
(5,2,8,'whatsapp:+5592900000023','queue',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,2,1,1,'2026-12-07 12:13:44.546076','2026-12-07 12:13:44.546076','2026-12-07 12:13:44.546076','Claro, já chamei uma pessoa da nossa equipe! 😊 Nossa equipe volta amanhã, terça-feira, 08/12/2026, às 10:00; sua mensage','2026-12-07 12:13:44.546076'),
(6,1,5,'whatsapp:+5511900000015','bot',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,0,NULL,'2026-12-07 12:23:14.648048',NULL,'','2026-12-07 12:23:14.648048'),
(7,1,4,'whatsapp:+5511900000014','bot',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,0,NULL,'2026-12-07 12:23:14.648048',NULL,'','2026-12-07 12:23:14.648048');
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
(1,1,2,'waiting','2026-12-07 12:23:54.643241',1,0,'2026-12-07 12:22:54.643241','2026-12-05 15:12:44.286319'),
(2,1,3,'waiting','2026-12-07 12:23:54.643241',1,0,'2026-12-07 12:22:54.643241','2026-12-07 11:58:44.387803'),
(3,2,5,'waiting','2026-12-07 12:23:54.643241',1,0,'2026-12-07 12:22:54.643241','2026-12-07 12:13:44.546076'),
(4,1,3,'still_waiting','2026-12-07 12:24:04.643017',1,0,'2026-12-07 12:23:04.643017','2026-12-07 12:22:59.649774');
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
(1,1,1,0,1,0,'offline','offline','6e353de996c7','2026-12-07 08:02:44.152508','2026-12-07 08:02:44.152508','answered',NULL,2,5916,92,0,0,0),
(2,1,2,0,1,0,'offline','offline','6e353de996c7','2026-12-05 15:12:44.286319','2026-12-05 15:12:44.286319','handed_off','pedido_do_cliente',1,5858,62,0,0,0),
(3,1,3,0,1,0,'offline','offline','6e353de996c7','2026-12-07 11:58:44.387803','2026-12-07 11:58:44.387803','handed_off','pedido_do_cliente',1,5862,62,0,0,0),
(4,2,4,0,1,0,'offline','offline','5a305bf03207','2026-12-07 09:52:44.523598','2026-12-07 09:52:44.523598','answered',NULL,2,5821,73,0,0,0),
(5,2,5,0,1,0,'offline','offline','5a305bf03207','2026-12-07 12:13:44.546076','2026-12-07 12:13:44.546076','handed_off','pedido_do_cliente',1,5854,62,0,0,0);
INSERT INTO "handoff" ("id","tenant_id","conversation_id","reason","detail","run_id","reopened","trigger_seq","opened_at","claimed_at","claimed_by","first_reply_at","acknowledged_at","realerted_at","second_text_at","window_warned_at","closed_at","closed_by","closed_seq","close_reason","note") VALUES
(1,1,2,'pedido_do_cliente','Pediu para falar com uma pessoa: “Quero falar com uma pessoa”',2,false,1,'2026-12-05 15:12:44.286319','2026-12-05 15:18:44.286319',1,'2026-12-05 15:18:44.286319',NULL,NULL,NULL,NULL,'2026-12-05 15:18:44.286319',1,3,'returned_to_bot','Pedido resolvido pela equipe.'),
(2,1,3,'pedido_do_cliente','Pediu para falar com uma pessoa: “Quero falar com uma pessoa”',3,false,1,'2026-12-07 11:58:44.387803',NULL,NULL,NULL,NULL,'2026-12-07 12:22:59.649774','2026-12-07 12:22:59.649774',NULL,NULL,NULL,NULL,NULL,''),
(3,2,5,'pedido_do_cliente','Pediu para falar com uma pessoa: “Quero falar com uma pessoa”',5,false,1,'2026-12-07 12:13:44.546076',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "message" ("id","tenant_id","conversation_id","seq","direction","author","kind","text","media","extra","status","error_code","provider_sid","client_key","staff_id","run_id","epoch","content_sid","content_variables","prefer_text","attempts","send_after","send_before","sending_since","created_at","sent_at") VALUES
(1,1,1,1,'in','customer','text','Oi, quais são os serviços?','[]','{}','received',NULL,'SMc470093bb5a3b1a01604b401cf13e159',NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 08:02:44.152508',NULL),
(2,1,1,2,'out','bot','text','Bom dia, Letícia! 😊

Nossos serviços:
- Corte feminino – 60 min, R$ 120,00
- Escova – 45 min, R$ 80,00
- Manicure – 40 min, R$ 45,00
- Hidratação – 30 min, R$ 70,00
- Coloração – 120 min, preço sob consulta

Quer ver os horários?','[]','{}','read',NULL,'SM585f75b33cbf65dfadfca61f9408d6a4',NULL,NULL,1,0,NULL,NULL,false,1,'2026-12-07 08:02:44.152508',NULL,'2026-12-07 08:08:44.152508','2026-12-07 08:02:44.152508','2026-12-07 08:08:44.152508'),
(3,1,2,1,'in','customer','text','Quero falar com uma pessoa','[]','{}','received',NULL,'SM3a3d6d6275af05ec7953da8082bd0871',NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-05 15:12:44.286319',NULL),
(4,1,2,2,'out','bot','text','Claro, já chamei uma pessoa da nossa equipe! 😊','[]','{}','read',NULL,'SM7d6a0b0f6da191a00f3787ea212fd951',NULL,NULL,2,NULL,NULL,NULL,false,1,'2026-12-05 15:12:44.286319',NULL,'2026-12-05 15:18:44.286319','2026-12-05 15:12:44.286319','2026-12-05 15:18:44.286319'),
(5,1,2,3,'out','staff','text','Oi, Camila! Aqui é a Patrícia. Pode trazer a sua filha, sim: temos um cantinho com brinquedos.','[]','{}','read',NULL,'SMe9459ebb05a6b5fda5078b2759329f7d','SMfd22927e3d0d9ff8c85585560bf5faef',1,NULL,NULL,NULL,NULL,false,1,'2026-12-05 15:18:44.286319',NULL,'2026-12-05 15:18:44.286319','2026-12-05 15:18:44.286319','2026-12-05 15:18:44.286319'),
(6,1,3,1,'in','customer','text','Quero falar com uma pessoa','[]','{}','received',NULL,'SMcb508322cd625bba1b987c2e543bbc9f',NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 11:58:44.387803',NULL),
(7,1,3,2,'out','bot','text','Claro, já chamei uma pessoa da nossa equipe! 😊

Nossa equipe volta hoje, às 09:00; sua mensagem está na fila.','[]','{}','read',NULL,'SM732b90b581b59a30a7a678e966a6bc34',NULL,NULL,3,NULL,NULL,NULL,false,1,'2026-12-07 11:58:44.387803',NULL,'2026-12-07 12:04:44.387803','2026-12-07 11:58:44.387803','2026-12-07 12:04:44.387803'),
(8,2,4,1,'in','customer','text','Oi, quais são os serviços?','[]','{}','received',NULL,'SM7220957669ca69f5fcb24b1abe8a7cd2',NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 09:52:44.523598',NULL),
(9,2,4,2,'out','bot','text','Bom dia, Paulo! 😊

Nossos serviços:
- Corte masculino – 30 min, R$ 50,00
- Barba – 25 min, R$ 40,00
- Corte e barba – 45 min, R$ 80,00

Quer ver os horários?','[]','{}','read',NULL,'SMc79b258c67589523b00c8f31211f5964',NULL,NULL,4,0,NULL,NULL,false,1,'2026-12-07 09:52:44.523598',NULL,'2026-12-07 09:58:44.523598','2026-12-07 09:52:44.523598','2026-12-07 09:58:44.523598'),
(10,2,5,1,'in','customer','text','Quero falar com uma pessoa','[]','{}','received',NULL,'SM1a0e038429806ca04e1b6154d7ed5c52',NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 12:13:44.546076',NULL),
(11,2,5,2,'out','bot','text','Claro, já chamei uma pessoa da nossa equipe! 😊

Nossa equipe volta amanhã, terça-feira, 08/12/2026, às 10:00; sua mensagem está na fila.','[]','{}','read',NULL,'SMc56ee3a4e1b8b39ec20182f2d18b3175',NULL,NULL,5,NULL,NULL,NULL,false,1,'2026-12-07 12:13:44.546076',NULL,'2026-12-07 12:19:44.546076','2026-12-07 12:13:44.546076','2026-12-07 12:19:44.546076'),
(12,1,3,3,'out','system','text','Desculpe a demora! Ainda não consegui uma pessoa da equipe, mas sua mensagem continua na fila.

Se preferir, responda *BOT* para voltar ao assistente.','[]','{}','read',NULL,'SM1666b04afcc1d55b8303238c2190d5a1','second_text:2',NULL,NULL,1,NULL,NULL,false,1,'2026-12-07 12:22:59.649774',NULL,'2026-12-07 12:22:59.673436','2026-12-07 12:22:59.649774','2026-12-07 12:22:59.690624'),
(13,1,6,1,'out','system','text','Lembrete não enviado, sobre segunda-feira, 07/12/2026, às 13:30. Motivo: faz mais de 24 horas que a pessoa escreveu, e não há um modelo aprovado para este aviso. Se for importante, vale ligar.','[]','{}','note',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 12:23:14.648048',NULL),
(14,1,7,1,'out','system','text','Lembrete não enviado, sobre segunda-feira, 07/12/2026, às 14:30. Motivo: faz mais de 24 horas que a pessoa escreveu, e não há um modelo aprovado para este aviso. Se for importante, vale ligar.','[]','{}','note',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 12:23:14.648048',NULL),
(15,1,3,4,'out','system','text','Oi, Beatriz! Aqui é Studio Bela, passando para lembrar do seu horário:

*hoje, segunda-feira, 07/12/2026, às 16:30*
Hidratação com Ana Souza
📍 Rua Augusta, 1000 - Consolação, São Paulo

Responda *confirmar*, *remarcar* ou *cancelar*.','[]','{}','read',NULL,'SM2f1ca9a1d10f83c085d56e64fc07ee92',NULL,NULL,NULL,NULL,NULL,NULL,false,1,'2026-12-07 12:23:14.648048','2026-12-07 19:15:00.000000','2026-12-07 12:23:14.729375','2026-12-07 12:23:14.648048','2026-12-07 12:23:14.753119'),
(16,1,1,3,'out','system','text','Oi, Letícia! Aqui é Studio Bela, passando para lembrar do seu horário:

*hoje, segunda-feira, 07/12/2026, às 10:00*
Escova com Ana Souza
📍 Rua Augusta, 1000 - Consolação, São Paulo

Responda *confirmar*, *remarcar* ou *cancelar*. Como falta pouco, para mudar ou cancelar a equipe precisa ajudar.','[]','{}','read',NULL,'SM5f7e682b5ef5b27b5a7747bf13d2624c',NULL,NULL,NULL,NULL,NULL,NULL,false,1,'2026-12-07 12:23:14.648048','2026-12-07 12:45:00.000000','2026-12-07 12:23:14.734967','2026-12-07 12:23:14.648048','2026-12-07 12:23:14.754926'),
(17,1,2,4,'out','system','text','Lembrete não enviado, sobre terça-feira, 08/12/2026, às 09:00. Motivo: faz mais de 24 horas que a pessoa escreveu, e não há um modelo aprovado para este aviso. Se for importante, vale ligar.','[]','{}','note',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,false,0,NULL,NULL,NULL,'2026-12-07 12:23:14.648048',NULL);
INSERT INTO "run_step" ("id","tenant_id","run_id","position","kind","content","kept","stop_reason","usage","model","is_error","error_class","milliseconds","at") VALUES
(1,1,1,0,'input','[{"type": "text", "text": "<contexto>\nAgora: segunda-feira, 2026-12-07, 05:02 (America/Sao_Paulo).\nPr\u00f3ximos dias: segunda-feira 2026-12-07 (hoje), ter\u00e7a-feira 2026-12-08 (amanh\u00e3), quarta-feira 2026-12-09 (depois de amanh\u00e3), quinta-feira 2026-12-10, sexta-feira 2026-12-11, s\u00e1bado 2026-12-12, domingo 2026-12-13, segunda-feira 2026-12-14, ter\u00e7a-feira 2026-12-15, quarta-feira 2026-12-16, quinta-feira 2026-12-17, sexta-feira 2026-12-18, s\u00e1bado 2026-12-19, domingo 2026-12-20.\nCliente: Let\u00edcia Nunes.\nAgendamentos futuros do cliente:\n- agendamento_id 3: Escova com Ana Souza (profissional_id 1), segunda-feira, 07/12/2026, \u00e0s 10:00.\n- agendamento_id 8: Colora\u00e7\u00e3o com Bia Lima (profissional_id 2), ter\u00e7a-feira, 08/12/2026, \u00e0s 10:30.\n</contexto>"}, {"type": "text", "text": "Oi, quais s\u00e3o os servi\u00e7os?"}]',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 08:02:44.152508'),
(2,1,1,1,'answer','[{"type": "tool_use", "id": "toolu_e11f863638ed0268294a_1", "name": "buscar_servicos", "input": {}}]',true,'tool_use','{"input_tokens": 2862, "output_tokens": 25, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,5,'2026-12-07 08:02:44.152508'),
(3,1,1,2,'result','{"tool_use_id": "toolu_e11f863638ed0268294a_1", "name": "buscar_servicos", "input": {}, "text": "Servi\u00e7os de Studio Bela:\n- Corte feminino (servico_id 1): 60 min, R$ 120,00. Com: Ana Souza (profissional_id 1), Bia Lima (profissional_id 2).\n- Escova (servico_id 2): 45 min, R$ 80,00. Com: Ana Souza (profissional_id 1), Bia Lima (profissional_id 2).\n- Manicure (servico_id 3): 40 min, R$ 45,00. Com: Carla Dias (profissional_id 3).\n- Hidrata\u00e7\u00e3o (servico_id 4): 30 min, R$ 70,00. Com: Ana Souza (profissional_id 1).\n- Colora\u00e7\u00e3o (servico_id 5): 120 min, pre\u00e7o sob consulta. Com: Bia Lima (profissional_id 2)."}',true,NULL,'null',NULL,false,NULL,1,'2026-12-07 08:02:44.152508'),
(4,1,1,3,'answer','[{"type": "text", "text": "Bom dia, Let\u00edcia! \ud83d\ude0a\n\nNossos servi\u00e7os:\n- Corte feminino \u2013 60 min, R$ 120,00\n- Escova \u2013 45 min, R$ 80,00\n- Manicure \u2013 40 min, R$ 45,00\n- Hidrata\u00e7\u00e3o \u2013 30 min, R$ 70,00\n- Colora\u00e7\u00e3o \u2013 120 min, pre\u00e7o sob consulta\n\nQuer ver os hor\u00e1rios?"}]',true,'end_turn','{"input_tokens": 3054, "output_tokens": 67, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,7,'2026-12-07 08:02:44.152508'),
(5,1,2,0,'input','[{"type": "text", "text": "<contexto>\nAgora: s\u00e1bado, 2026-12-05, 12:12 (America/Sao_Paulo).\nPr\u00f3ximos dias: s\u00e1bado 2026-12-05 (hoje), domingo 2026-12-06 (amanh\u00e3), segunda-feira 2026-12-07 (depois de amanh\u00e3), ter\u00e7a-feira 2026-12-08, quarta-feira 2026-12-09, quinta-feira 2026-12-10, sexta-feira 2026-12-11, s\u00e1bado 2026-12-12, domingo 2026-12-13, segunda-feira 2026-12-14, ter\u00e7a-feira 2026-12-15, quarta-feira 2026-12-16, quinta-feira 2026-12-17, sexta-feira 2026-12-18.\nCliente: Camila Torres.\nAgendamentos futuros do cliente:\n- agendamento_id 7: Hidrata\u00e7\u00e3o com Ana Souza (profissional_id 1), ter\u00e7a-feira, 08/12/2026, \u00e0s 09:00.\n</contexto>"}, {"type": "text", "text": "Quero falar com uma pessoa"}]',true,NULL,'null',NULL,false,NULL,0,'2026-12-05 15:12:44.286319'),
(6,1,2,1,'answer','[{"type": "tool_use", "id": "toolu_29557814d5a7fd3808b5_1", "name": "chamar_atendente", "input": {"motivo": "Pediu para falar com uma pessoa: \u201cQuero falar com uma pessoa\u201d"}}]',true,'tool_use','{"input_tokens": 2836, "output_tokens": 43, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,2,'2026-12-05 15:12:44.286319'),
(7,1,2,2,'result','{"tool_use_id": "toolu_29557814d5a7fd3808b5_1", "name": "chamar_atendente", "input": {"motivo": "Pediu para falar com uma pessoa: \u201cQuero falar com uma pessoa\u201d"}, "text": "Pedido registrado: uma pessoa da equipe vai continuar esta conversa.", "handoff": "Pediu para falar com uma pessoa: \u201cQuero falar com uma pessoa\u201d"}',true,NULL,'null',NULL,false,NULL,0,'2026-12-05 15:12:44.286319'),
(8,1,2,3,'final','[{"type": "text", "text": "Claro, j\u00e1 chamei uma pessoa da nossa equipe! \ud83d\ude0a"}]',false,'end_turn','{"input_tokens": 3022, "output_tokens": 19, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,'pedido_do_cliente',1,'2026-12-05 15:12:44.286319'),
(9,1,3,0,'input','[{"type": "text", "text": "<contexto>\nAgora: segunda-feira, 2026-12-07, 08:58 (America/Sao_Paulo).\nPr\u00f3ximos dias: segunda-feira 2026-12-07 (hoje), ter\u00e7a-feira 2026-12-08 (amanh\u00e3), quarta-feira 2026-12-09 (depois de amanh\u00e3), quinta-feira 2026-12-10, sexta-feira 2026-12-11, s\u00e1bado 2026-12-12, domingo 2026-12-13, segunda-feira 2026-12-14, ter\u00e7a-feira 2026-12-15, quarta-feira 2026-12-16, quinta-feira 2026-12-17, sexta-feira 2026-12-18, s\u00e1bado 2026-12-19, domingo 2026-12-20.\nCliente: Beatriz Ramos.\nAgendamentos futuros do cliente:\n- agendamento_id 6: Hidrata\u00e7\u00e3o com Ana Souza (profissional_id 1), segunda-feira, 07/12/2026, \u00e0s 16:30.\n</contexto>"}, {"type": "text", "text": "Quero falar com uma pessoa"}]',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 11:58:44.387803'),
(10,1,3,1,'answer','[{"type": "tool_use", "id": "toolu_3657497f7a5e2498f6da_1", "name": "chamar_atendente", "input": {"motivo": "Pediu para falar com uma pessoa: \u201cQuero falar com uma pessoa\u201d"}}]',true,'tool_use','{"input_tokens": 2838, "output_tokens": 43, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,2,'2026-12-07 11:58:44.387803'),
(11,1,3,2,'result','{"tool_use_id": "toolu_3657497f7a5e2498f6da_1", "name": "chamar_atendente", "input": {"motivo": "Pediu para falar com uma pessoa: \u201cQuero falar com uma pessoa\u201d"}, "text": "Pedido registrado: uma pessoa da equipe vai continuar esta conversa.", "handoff": "Pediu para falar com uma pessoa: \u201cQuero falar com uma pessoa\u201d"}',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 11:58:44.387803'),
(12,1,3,3,'final','[{"type": "text", "text": "Claro, j\u00e1 chamei uma pessoa da nossa equipe! \ud83d\ude0a"}]',false,'end_turn','{"input_tokens": 3024, "output_tokens": 19, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,'pedido_do_cliente',1,'2026-12-07 11:58:44.387803'),
(13,2,4,0,'input','[{"type": "text", "text": "<contexto>\nAgora: segunda-feira, 2026-12-07, 05:52 (America/Manaus).\nPr\u00f3ximos dias: segunda-feira 2026-12-07 (hoje), ter\u00e7a-feira 2026-12-08 (amanh\u00e3), quarta-feira 2026-12-09 (depois de amanh\u00e3), quinta-feira 2026-12-10, sexta-feira 2026-12-11, s\u00e1bado 2026-12-12, domingo 2026-12-13, segunda-feira 2026-12-14, ter\u00e7a-feira 2026-12-15, quarta-feira 2026-12-16, quinta-feira 2026-12-17, sexta-feira 2026-12-18, s\u00e1bado 2026-12-19, domingo 2026-12-20.\nCliente: Paulo Mendes.\nAgendamentos futuros do cliente:\n- agendamento_id 12: Barba com Raimundo Nonato (profissional_id 4), ter\u00e7a-feira, 08/12/2026, \u00e0s 17:45.\n</contexto>"}, {"type": "text", "text": "Oi, quais s\u00e3o os servi\u00e7os?"}]',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 09:52:44.523598'),
(14,2,4,1,'answer','[{"type": "tool_use", "id": "toolu_359cf37801f76285f3ea_1", "name": "buscar_servicos", "input": {}}]',true,'tool_use','{"input_tokens": 2832, "output_tokens": 25, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,2,'2026-12-07 09:52:44.523598'),
(15,2,4,2,'result','{"tool_use_id": "toolu_359cf37801f76285f3ea_1", "name": "buscar_servicos", "input": {}, "text": "Servi\u00e7os de Barbearia Rio Negro:\n- Corte masculino (servico_id 6): 30 min, R$ 50,00. Com: Raimundo Nonato (profissional_id 4), Jo\u00e3o Batista (profissional_id 5).\n- Barba (servico_id 7): 25 min, R$ 40,00. Com: Raimundo Nonato (profissional_id 4), Jo\u00e3o Batista (profissional_id 5).\n- Corte e barba (servico_id 8): 45 min, R$ 80,00. Com: Raimundo Nonato (profissional_id 4)."}',true,NULL,'null',NULL,false,NULL,1,'2026-12-07 09:52:44.523598'),
(16,2,4,3,'answer','[{"type": "text", "text": "Bom dia, Paulo! \ud83d\ude0a\n\nNossos servi\u00e7os:\n- Corte masculino \u2013 30 min, R$ 50,00\n- Barba \u2013 25 min, R$ 40,00\n- Corte e barba \u2013 45 min, R$ 80,00\n\nQuer ver os hor\u00e1rios?"}]',true,'end_turn','{"input_tokens": 2989, "output_tokens": 48, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,6,'2026-12-07 09:52:44.523598'),
(17,2,5,0,'input','[{"type": "text", "text": "<contexto>\nAgora: segunda-feira, 2026-12-07, 08:13 (America/Manaus).\nPr\u00f3ximos dias: segunda-feira 2026-12-07 (hoje), ter\u00e7a-feira 2026-12-08 (amanh\u00e3), quarta-feira 2026-12-09 (depois de amanh\u00e3), quinta-feira 2026-12-10, sexta-feira 2026-12-11, s\u00e1bado 2026-12-12, domingo 2026-12-13, segunda-feira 2026-12-14, ter\u00e7a-feira 2026-12-15, quarta-feira 2026-12-16, quinta-feira 2026-12-17, sexta-feira 2026-12-18, s\u00e1bado 2026-12-19, domingo 2026-12-20.\nCliente: Ivan Castro.\nAgendamentos futuros do cliente:\n- agendamento_id 13: Corte masculino com Raimundo Nonato (profissional_id 4), ter\u00e7a-feira, 08/12/2026, \u00e0s 10:45.\n</contexto>"}, {"type": "text", "text": "Quero falar com uma pessoa"}]',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 12:13:44.546076'),
(18,2,5,1,'answer','[{"type": "tool_use", "id": "toolu_d85bbf727c290841a902_1", "name": "chamar_atendente", "input": {"motivo": "Pediu para falar com uma pessoa: \u201cQuero falar com uma pessoa\u201d"}}]',true,'tool_use','{"input_tokens": 2834, "output_tokens": 43, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,NULL,2,'2026-12-07 12:13:44.546076'),
(19,2,5,2,'result','{"tool_use_id": "toolu_d85bbf727c290841a902_1", "name": "chamar_atendente", "input": {"motivo": "Pediu para falar com uma pessoa: \u201cQuero falar com uma pessoa\u201d"}, "text": "Pedido registrado: uma pessoa da equipe vai continuar esta conversa.", "handoff": "Pediu para falar com uma pessoa: \u201cQuero falar com uma pessoa\u201d"}',true,NULL,'null',NULL,false,NULL,0,'2026-12-07 12:13:44.546076'),
(20,2,5,3,'final','[{"type": "text", "text": "Claro, j\u00e1 chamei uma pessoa da nossa equipe! \ud83d\ude0a"}]',false,'end_turn','{"input_tokens": 3020, "output_tokens": 19, "cache_read_tokens": 0, "cache_write_tokens": 0}','offline',false,'pedido_do_cliente',1,'2026-12-07 12:13:44.546076');
INSERT INTO "reminder" ("id","tenant_id","appointment_id","hours","version","due_at","state","reason","message_id") VALUES
(1,1,1,24,0,'2026-11-30 12:30:00.000000','obsolete','',NULL),
(2,1,1,2,0,'2026-11-30 23:00:00.000000','obsolete','',NULL),
(3,1,2,24,0,'2026-12-04 15:00:00.000000','obsolete','',NULL),
(4,1,2,2,0,'2026-12-05 13:00:00.000000','obsolete','',NULL),
(5,1,3,24,0,'2026-12-06 13:00:00.000000','skipped','o lembrete seguinte já era devido',NULL),
(6,1,3,2,0,'2026-12-07 11:00:00.000000','sent','',16),
(7,1,4,24,0,'2026-12-06 17:30:00.000000','failed','sem modelo',NULL),
(8,1,4,2,0,'2026-12-07 15:30:00.000000','pending','',NULL),
(9,1,5,24,0,'2026-12-06 16:30:00.000000','failed','sem modelo',NULL),
(10,1,5,2,0,'2026-12-07 14:30:00.000000','pending','',NULL),
(11,1,6,24,0,'2026-12-06 19:30:00.000000','sent','',15),
(12,1,6,2,0,'2026-12-07 17:30:00.000000','pending','',NULL),
(13,1,7,24,0,'2026-12-07 12:00:00.000000','failed','sem modelo',NULL),
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
