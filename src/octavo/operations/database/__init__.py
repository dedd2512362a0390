"""A whole library looked after: copied, saved, brought up to date, checked, repaired, thinned out."""
