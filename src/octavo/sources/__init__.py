"""Where documents come from: folders scanned, files decoded, rules on what is left out."""
