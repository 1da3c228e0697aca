"""A text, what became of it with typing errors, and two forms with other titles, which a judge of copies is asked about."""

FERRY = (
    "The ferry to the northern islands will not run in the first week of March, because its engine is being "
    "replaced. Passengers who have bought tickets can travel by the mail boat, which leaves the old harbour every "
    "morning at seven, or ask for their money. The company regrets the delay and promises that the new engine is "
    "quieter and needs less oil than the one that served for thirty years."
)
TYPED = (
    "The ferry to the nortbern islnads will not run in the first week of March, becuase its engine is being "
    "repIaced. Pasengers who have bought tikets can travle by the mail boat, which leaves the old habrour every "
    "mornnig at seven, or ask for their money. The compnay regrets the delay and promises that the new engine is "
    "quiter and needs less oil than the one that served for thirty years."
)
MILL = (
    "Water mill, Oak Lane\nThe inspector found it in good order. The owner keeps stairs, doors and windows clean, "
    "and repairs them when it is needed. No danger to neighbours was seen, and no measure has to be taken. "
    "Questions may be sent in writing to the office, which answers within four weeks."
)
SCHOOL = (
    "Primary school of Lower Brook\nThe inspector found it in good order. The owner keeps stairs, doors and "
    "windows clean, and repairs them when it is needed. No danger to neighbours was seen, and no measure has to be "
    "taken. Questions may be sent in writing to the office, which answers within four weeks."
)
