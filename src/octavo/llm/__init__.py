"""Language models by the roles that a configuration gives them. Each provider is imported when it is used."""
