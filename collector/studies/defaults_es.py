"""What do workers of a study in Spanish read when the researcher writes nothing? The texts of ``defaults``."""

DIALOG = {
    "title": "Averigüen entre dos qué sucede en un video corto",
    "instructions": """\
Usted se encontrará con otra persona y hablará con ella por escrito sobre un video corto, durante cerca de un cuarto de
hora.

- Una de las dos **pregunta**: ve tres fotogramas del video y hace preguntas.
- La otra **responde**: ve el video entero, con sonido, y da respuestas.
- Cuál de los dos papeles tiene usted se decide cuando se encuentran.

**Empiece enseguida**, por favor: sin saludos ni charla. Escriba solo sobre lo que hay en el video. No dé nombres, datos
de contacto ni nada más sobre usted.
""",
    "questioner_instructions": """\
**Averigüe qué sucede en el video.** Usted ve un fotograma del principio, otro de la mitad y otro del final.

- Pregunte qué *hacen* las personas y las cosas, en qué orden, cómo, por qué, y qué se *oye*.
- Una pregunta cada vez. Siga a partir de lo que ya sabe.
- Después de la última respuesta escribirá un **resumen** de todo lo que sucede en el video: pregunte lo que necesite
  para ello.
""",
    "answerer_instructions": """\
**Vea el video hasta el final, con sonido, antes de responder.** Puede reproducirlo otra vez cuando quiera.

- Responda con frases completas, con los detalles que ve y oye. Nunca un simple sí o no.
- Cuente solo lo que hay en el video. Si algo no se ve o no se oye, dígalo.
- Responda a lo que se le pregunta; la otra persona preguntará por lo demás.
""",
    "summary_instructions": """\
Resuma lo que sucede en el video: quién hace qué, en qué orden, y qué se oye. Use todo lo que ha sabido por las
respuestas de la otra persona.
""",
    "purpose": """\
Estudiamos cómo las personas intercambian lo que saben de un video, para que las computadoras aprendan a hablar de lo
que ven y oyen.
""",
    "risks": (
        "No conocemos ningún riesgo más allá del uso cotidiano de una computadora. Los videos muestran escenas "
        "cotidianas."
    ),
}

SUMMARY_STUDY = {
    "title": "Vea un video corto y escriba lo que sucede en él",
    "instructions": """\
Usted verá un video corto, **con sonido**, y después escribirá un resumen de lo que sucede en él.

- Primero ve un **ejemplo**: otro video con un texto que lo describe.
- Después recibe su video. Véalo **hasta el final**; puede reproducirlo cuantas veces quiera.
- Escriba **todo lo que sucede**, en su orden. No hay que esperar a nadie.

Escriba solo sobre lo que hay en el video. No dé nombres, datos de contacto ni nada más sobre usted.
""",
    "summary_instructions": """\
**Resuma lo que sucede en el video.** Describa todo lo que ocurre: quién hace qué, en qué orden, y qué se oye.
""",
    "purpose": """\
Estudiamos cómo las personas describen lo que ven y oyen en un video, para que las computadoras aprendan a hablar de
ello.
""",
}

RELEVANCE_STUDY = {
    "title": "Vea un video corto y valore respuestas",
    "instructions": """\
Usted verá un video corto, **con sonido**, y después valorará respuestas a una pregunta sobre él.

- Vea el video **hasta el final**; puede reproducirlo cuantas veces quiera.
- Lea lo que dos personas dijeron sobre él hasta que se hizo la pregunta.
- Después marque **cada una de las 100 respuestas** como correcta o no, de diez en diez. No hay que esperar a nadie.
""",
    "summary_instructions": """\
**Marque una respuesta como correcta cuando responde a la pregunta y lo que dice es verdad en el video**, con las
palabras que sea. Pueden ser correctas varias respuestas, o ninguna. Valore cada una por sí sola.

Por ejemplo, una mujer pone dos platos en una mesa, y la pregunta es *¿Qué lleva?*

- *lleva dos platos .* es correcta; también *platos , creo que dos*.
- *lleva una taza .* no es correcta: no es verdad.
- *sí , eso hace .* no es correcta: no responde a la pregunta.
""",
    "purpose": """\
Estudiamos qué respuestas consideran correctas las personas, para comparar con justicia las computadoras que responden
preguntas sobre videos.
""",
}

OF_KIND = {"dialog": DIALOG, "summary": DIALOG | SUMMARY_STUDY, "relevance": DIALOG | RELEVANCE_STUDY}
OF_FRAMES = [
    (
        "instructions",
        DIALOG["instructions"].replace("ve tres fotogramas del video", "ve un fotograma del video"),
        DIALOG["instructions"],
    ),
    (
        "questioner_instructions",
        DIALOG["questioner_instructions"].replace(
            "un fotograma del principio, otro de la mitad y otro del final", "un fotograma, de la mitad"
        ),
        DIALOG["questioner_instructions"],
    ),
]
